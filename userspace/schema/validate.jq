# SPDX-License-Identifier: GPL-2.0
# jq -r --slurpfile s result.schema.json -f validate.jq RESULT
# prints one line per fault, nothing for a good document. Knows as much of JSON
# Schema as the schema beside it uses.

def typed($t):
  if $t == "integer" then type == "number" and . == floor
  else type == $t end;

def faults($schema; $at):
  . as $value
  | (if $schema.type and (typed($schema.type) | not)
     then "\($at): not of type \($schema.type)" else empty end),
    (if ($schema | has("const")) and $value != $schema.const
     then "\($at): not \($schema.const)" else empty end),
    (if $schema.enum and ($schema.enum | index([$value]) == null)
     then "\($at): \($value) is none of \($schema.enum)" else empty end),
    (if type == "string" and . == "" then "\($at): empty" else empty end),
    (if type == "object" then
       (($schema.required // [])[] | select(. as $k | $value | has($k) | not) | "\($at): no \(.)"),
       (to_entries[] | .key as $k
        | if $schema.properties and ($schema.properties | has($k))
          then .value | faults($schema.properties[$k]; "\($at).\($k)")
          elif $schema.additionalProperties == false
          then "\($at): unknown key \($k)" else empty end)
     elif type == "array" and $schema.items then
       range(length) as $i | .[$i] | faults($schema.items; "\($at)[\($i)]")
     else empty end),
    (if $schema.if
     then (if [faults($schema.if; $at)] == [] then $schema.then else $schema.else end) as $branch
          | if $branch then faults($branch; $at) else empty end
     else empty end);

faults($s[0]; "")
