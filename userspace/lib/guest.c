// SPDX-License-Identifier: GPL-2.0
/* What kind of machine this is. */
#include <stdio.h>
#include <string.h>

#include "conditions.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

/* Intel SDM and AMD APM: CPUID.1:ECX[31] is set under a hypervisor, leaf 0x40000000 names it. */
static const char *guest_by_cpuid(void)
{
	static const struct {
		const char *signature;
		const char *guest;
	} known[] = {
		{ "KVMKVMKVM", "kvm" },	   { "TCGTCGTCGTCG", "tcg" }, { "XenVMMXenVMM", "xen" },
		{ "Microsoft Hv", "hyperv" }, { "VMwareVMware", "vmware" },
	};
	unsigned int eax, ebx, ecx, edx;
	char signature[13] = "";

	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & (1U << 31)))
		return "none";
	__cpuid(0x40000000, eax, ebx, ecx, edx);
	memcpy(signature, &ebx, 4);
	memcpy(signature + 4, &ecx, 4);
	memcpy(signature + 8, &edx, 4);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(signature, known[i].signature))
			return known[i].guest;
	return "other";
}
#else
static const char *guest_by_cpuid(void)
{
	return "other";
}
#endif

static bool cpuinfo_has(const char *text)
{
	char line[512];
	bool found = false;
	FILE *f = fopen("/proc/cpuinfo", "re");

	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f))
		found = strstr(line, text) != NULL;
	fclose(f);
	return found;
}

/* UML runs on its host's CPUID, so it must be asked first. */
const char *conditions_guest(void)
{
	if (cpuinfo_has("User Mode Linux"))
		return "uml";
	return guest_by_cpuid();
}
