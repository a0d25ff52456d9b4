// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/vtpm_proxy.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "extend_events.h"
#include "tpm.h"

/* part 2, 6.5.2 */
enum { TPM2_CC_PCR_EXTEND = 0x182 };

struct request {
	uint64_t in_us;
	uint32_t code;
	uint32_t seen;
	size_t size;
	uint8_t data[TPM_BUFFER_BYTES];
};

int server_open(unsigned int *tpm_num)
{
	struct vtpm_proxy_new_dev dev = { .flags = VTPM_PROXY_FLAG_TPM2 };
	int rc = 0;
	int fd = open("/dev/vtpmx", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (ioctl(fd, VTPM_PROXY_IOC_NEW_DEV, &dev))
		rc = -errno;
	close(fd);
	if (rc)
		return rc;
	*tpm_num = dev.tpm_num;
	return (int)dev.fd;
}

static uint64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

static void sleep_ms(uint32_t ms)
{
	struct timespec left = { .tv_sec = ms / 1000,
				 .tv_nsec = ms % 1000 * 1000000L };

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

static void log_request(FILE *log, const struct request *req,
			const struct fault_rule *rule, bool events)
{
	const char *name = fault_command_name(req->code);

	fprintf(log, "in_us=%" PRIu64 " code=0x%08" PRIx32 " command=%s k=%" PRIu32,
		req->in_us, req->code, name ? name : "?", req->seen);
	if (events && req->code == TPM2_CC_PCR_EXTEND)
		extend_events_log(log, req->data, req->size);
	if (rule)
		fprintf(log, " action=%s", fault_action_name(rule->action));
}

/* Fills @response; returns its size or a negative errno */
static int answer_to(struct request *req, const struct fault_rule *rule, uint8_t *response)
{
	int size;

	if (rule && rule->action == FAULT_RC)
		return (int)tpm_bare_response(response, rule->value);
	if (req->code == TPM2_CC_SET_LOCALITY) {
		/* a header and one byte; meant for us, not for the TPM */
		if (req->size == TPM_HEADER_BYTES + 1)
			tpm_set_locality(req->data[TPM_HEADER_BYTES]);
		return (int)tpm_bare_response(response, 0);
	}
	if (rule && rule->action == FAULT_FIRST && req->code == TPM2_CC_PCR_EXTEND)
		req->size = extend_events_keep_first(req->data, req->size);
	size = tpm_execute(req->data, req->size, response);
	if (size > 0 && rule && rule->action == FAULT_SIZE &&
	    rule->value < (uint32_t)size)
		size = (int)rule->value;
	return size;
}

/* As a TPM does whose state, library or random source is a file */
static void read_next_file(DIR *dir)
{
	char buffer[4096];
	struct dirent *entry;
	int fd;

	do {
		entry = readdir(dir);
	} while (entry && entry->d_type != DT_REG);
	if (!entry)
		return;
	fd = openat(dirfd(dir), entry->d_name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	while (read(fd, buffer, sizeof(buffer)) > 0)
		;
	close(fd);
}

static int handle(int fd, struct request *req,
		  const struct fault_rule *rule, FILE *log)
{
	enum fault_action action = rule ? rule->action : FAULT_NONE;
	uint8_t response[TPM_BUFFER_BYTES];
	int size, rc = 0;

	size = answer_to(req, rule, response);
	if (size < 0) {
		if (log)
			fprintf(log, " error=libtpms\n");
		return size;
	}
	if (action == FAULT_DELAY || action == FAULT_LATE)
		sleep_ms(rule->value);
	if (write(fd, response, (size_t)size) != size)
		rc = -errno;
	if (log) {
		fprintf(log, " out_us=%" PRIu64, now_us());
		if (size >= TPM_HEADER_BYTES)
			fprintf(log, " rc=0x%" PRIx32, be32_read(response + 6));
		if (rc)
			fprintf(log, " refused=%s", strerrorname_np(-rc));
		fputc('\n', log);
	}
	/* nobody waits for a late answer any more */
	if (action == FAULT_LATE && rc == -EIO)
		rc = 0;
	return rc;
}

/* One command. Returns 0, or a negative errno that ends the service */
static int serve_one(int fd, struct fault_plan *plan, FILE *log, int notify_fd)
{
	static struct request req;
	const struct fault_rule *rule;
	ssize_t size = read(fd, req.data, sizeof(req.data));

	if (size < 0)
		return errno == EINTR ? 0 : -errno;
	req.in_us = now_us();
	req.size = (size_t)size;
	if (req.size < TPM_HEADER_BYTES)
		return -EPROTO;
	req.code = be32_read(req.data + 6);
	rule = fault_plan_next(plan, req.code, &req.seen);
	if (log) {
		log_request(log, &req, rule, plan->events);
		/* seen while the command is under way, not only when it is done */
		fflush(log);
	}
	if (plan->reads && req.code == TPM2_CC_PCR_EXTEND)
		read_next_file(plan->reads);

	switch (rule ? rule->action : FAULT_NONE) {
	case FAULT_DIE:
		if (log) {
			fputc('\n', log);
			fflush(log);
		}
		raise(SIGKILL);
		return -EINTR;
	case FAULT_HANGUP:
	case FAULT_DROP:
		if (log)
			fputc('\n', log);
		if (rule->action == FAULT_HANGUP)
			close(fd);
		if (notify_fd >= 0 && write(notify_fd, "d", 1) != 1)
			return -errno;
		return rule->action == FAULT_HANGUP ? -ESHUTDOWN : 0;
	default:
		return handle(fd, &req, rule, log);
	}
}

int server_run(int fd, struct fault_plan *plan, FILE *log, int notify_fd,
	       const volatile int *stop)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	sigset_t ending, before;
	int rc = 0;

	/* delivered only in ppoll() and sigsuspend(): none can be missed */
	sigemptyset(&ending);
	sigaddset(&ending, SIGTERM);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGUSR1);
	sigprocmask(SIG_BLOCK, &ending, &before);
	while (!rc && !(stop && *stop)) {
		if (ppoll(&pfd, 1, NULL, &before) < 0) {
			if (errno != EINTR)
				rc = -errno;
			continue;
		}
		/* POLLHUP: the chip could not be registered */
		if (pfd.revents & POLLIN)
			rc = serve_one(fd, plan, log, notify_fd);
		else if (pfd.revents)
			rc = -EPIPE;
	}
	/* closed on purpose: stay, so that it is not our death that is seen */
	while (rc == -ESHUTDOWN && !(stop && *stop))
		sigsuspend(&before);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return rc == -ESHUTDOWN ? 0 : rc;
}
