// SPDX-License-Identifier: GPL-2.0
#include "kernel_config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <zlib.h>

#include "conditions.h"

/* zlib reads a file that is not compressed just as well. */
static int read_maybe_gz(const char *path, char **text, size_t *len)
{
	gzFile f = gzopen(path, "re");
	char *data;
	int n;

	if (!f)
		return -ENOENT;
	data = malloc(KERNEL_CONFIG_MAX + 1);
	n = data ? gzread(f, data, (unsigned int)KERNEL_CONFIG_MAX) : -1;
	gzclose(f);
	if (n <= 0) {
		free(data);
		return data ? -EIO : -ENOMEM;
	}
	data[n] = '\0';
	*text = data;
	*len = (size_t)n;
	return 0;
}

static int read_config(char **text, size_t *len)
{
	struct utsname name;
	char path[sizeof(name.release) + 16];
	int rc = read_maybe_gz("/proc/config.gz", text, len);

	if (rc != -ENOENT)
		return rc;
	if (uname(&name))
		return -errno;
	snprintf(path, sizeof(path), "/boot/config-%s", name.release);
	return read_maybe_gz(path, text, len);
}

int kernel_config_text(const char **text, size_t *len)
{
	static char *cached;
	static size_t cached_len;
	static int rc;

	if (!cached && !rc)
		rc = read_config(&cached, &cached_len);
	*text = cached;
	*len = cached_len;
	return rc;
}

static void copy_unquoted(char *value, size_t size, const char *from, size_t len)
{
	if (len >= 2 && from[0] == '"' && from[len - 1] == '"') {
		from++;
		len -= 2;
	}
	snprintf(value, size, "%.*s", (int)len, from);
}

int conditions_config(const char *symbol, char *value, size_t size)
{
	size_t len = 0, symbol_len = strlen(symbol);
	const char *text = NULL;
	int rc = kernel_config_text(&text, &len);

	if (rc)
		return rc;
	snprintf(value, size, "n");
	for (const char *line = text; line && *line;) {
		const char *end = strchr(line, '\n');
		size_t line_len = end ? (size_t)(end - line) : strlen(line);

		if (line_len > symbol_len && !strncmp(line, symbol, symbol_len) &&
		    line[symbol_len] == '=') {
			copy_unquoted(value, size, line + symbol_len + 1,
				      line_len - symbol_len - 1);
			break;
		}
		line = end ? end + 1 : NULL;
	}
	return 0;
}

int conditions_cmdline(const char *name, char *value, size_t size)
{
	char text[4096], *word, *rest = text;
	size_t name_len = strlen(name), n;
	FILE *f = fopen("/proc/cmdline", "re");
	int rc = -ENOENT;

	if (!f)
		return -ENOENT;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	while ((word = strsep(&rest, " \n"))) {
		if (!strncmp(word, name, name_len) && word[name_len] == '=') {
			snprintf(value, size, "%s", word + name_len + 1);
			rc = 0;
		}
	}
	return rc;
}
