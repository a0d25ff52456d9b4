// SPDX-License-Identifier: GPL-2.0
/*
 * New programs: each file is an executable made beforehand that ends at once.
 *
 * It is the smallest that the kernel's ELF loader takes: header, one program
 * header and a few instructions (System V gABI, chapters 4 and 5). What makes
 * each one different stands behind them and is never loaded by anybody.
 */
#include <elf.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "workload.h"

#define LOAD_ADDRESS 0x400000

/* exit_group(0) */
#if defined(__x86_64__)
#define MACHINE EM_X86_64
static const uint8_t code[] = {
	0x31, 0xff,		      /* xor edi, edi */
	0xb8, 0xe7, 0x00, 0x00, 0x00, /* mov eax, 231 */
	0x0f, 0x05,		      /* syscall */
};
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
static const uint8_t code[] = {
	0x00, 0x00, 0x80, 0xd2, /* mov x0, #0 */
	0xc8, 0x0b, 0x80, 0xd2, /* mov x8, #94 */
	0x01, 0x00, 0x00, 0xd4, /* svc #0 */
};
#else
#define MACHINE EM_NONE
static const uint8_t code[] = { 0 };
#endif

struct program {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	uint8_t code[sizeof(code)];
};

static const char *unable(void)
{
	return MACHINE == EM_NONE ? "there is no program for this processor" : NULL;
}

static void fill(struct program *p)
{
	memset(p, 0, sizeof(*p));
	memcpy(p->header.e_ident, ELFMAG, SELFMAG);
	p->header.e_ident[EI_CLASS] = ELFCLASS64;
	p->header.e_ident[EI_DATA] = ELFDATA2LSB;
	p->header.e_ident[EI_VERSION] = EV_CURRENT;
	p->header.e_type = ET_EXEC;
	p->header.e_machine = MACHINE;
	p->header.e_version = EV_CURRENT;
	p->header.e_entry = LOAD_ADDRESS + offsetof(struct program, code);
	p->header.e_phoff = offsetof(struct program, segment);
	p->header.e_ehsize = sizeof(p->header);
	p->header.e_phentsize = sizeof(p->segment);
	p->header.e_phnum = 1;
	p->segment.p_type = PT_LOAD;
	p->segment.p_flags = PF_R | PF_X;
	p->segment.p_vaddr = LOAD_ADDRESS;
	p->segment.p_paddr = LOAD_ADDRESS;
	p->segment.p_filesz = offsetof(struct program, code) + sizeof(code);
	p->segment.p_memsz = p->segment.p_filesz;
	p->segment.p_align = 0x1000;
	memcpy(p->code, code, sizeof(code));
}

static int prepare(struct work *w)
{
	struct program p;
	int rc;

	fill(&p);
	rc = work_make(w, w->made, &p, offsetof(struct program, code) + sizeof(code), 0700);
	if (!rc)
		w->made++;
	return rc;
}

static void add_cpu(struct cpu_times *sum, const struct rusage *ru)
{
	sum->user_us += (uint64_t)ru->ru_utime.tv_sec * 1000000U + (uint64_t)ru->ru_utime.tv_usec;
	sum->system_us += (uint64_t)ru->ru_stime.tv_sec * 1000000U + (uint64_t)ru->ru_stime.tv_usec;
}

static int run(struct work *w, const struct work_file *file)
{
	char path[sizeof(w->place->path) + 16 + WORK_NAME_BYTES], name[WORK_NAME_BYTES];
	char *argv[] = { name, NULL }, *envp[] = { NULL };
	struct rusage ru;
	int rc, status;
	pid_t pid;

	work_name(file->number, name);
	snprintf(path, sizeof(path), "%s/%u/%s", w->place->path, file->dir, name);
	/* vfork() underneath: our own size must not count */
	rc = posix_spawn(&pid, path, NULL, NULL, argv, envp);
	if (rc)
		return -rc;
	while (wait4(pid, &status, 0, &ru) < 0)
		if (errno != EINTR)
			return -errno;
	add_cpu(&w->children, &ru);
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -ENOEXEC;
}

const struct workload workload_exec = {
	.name = "exec",
	.description = "start programs made beforehand, and wait for their end",
	.rule = "measure func=BPRM_CHECK mask=MAY_EXEC",
	.unable = unable,
	.prepare = prepare,
	.run = run,
	.cleanup = work_unlink,
};
