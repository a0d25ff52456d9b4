// SPDX-License-Identifier: GPL-2.0
/*
 * A swtpm of our own on a socketpair: one write and one read per extend and
 * the least that any transport between two processes can cost.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "clock.h"

#define END_NS (300 * NS_PER_MS)

static const char *swtpm_binary(void)
{
	const char *binary = getenv("SWTPM");

	return binary && *binary ? binary : "swtpm";
}

static void default_signals(void)
{
	static const int changed[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };

	for (size_t i = 0; i < sizeof(changed) / sizeof(changed[0]); i++)
		signal(changed[i], SIG_DFL);
}

/* In the child: becomes swtpm, or reports errno through @report. */
static _Noreturn void exec_swtpm(int tpm_fd, int report, const char *state_dir, pid_t parent)
{
	char fd[16], state[CLIENT_TARGET_BYTES + 8];
	int null = open("/dev/null", O_RDWR), reason;

	/* dies with its client, and Ctrl-C at the terminal goes to vtpmfast only */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	setpgid(0, 0);
	default_signals();
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
	}
	fcntl(tpm_fd, F_SETFD, 0);
	snprintf(fd, sizeof(fd), "%d", tpm_fd);
	snprintf(state, sizeof(state), "dir=%s", state_dir);
	/* seccomp: its filter kills swtpm where the kernel has unusual system calls, as UML does */
	execlp(swtpm_binary(), swtpm_binary(), "chardev", "--fd", fd, "--tpm2", "--seccomp",
	       "action=none", "--tpmstate", state, "--flags", "not-need-init", (char *)NULL);
	reason = errno;
	while (write(report, &reason, sizeof(reason)) < 0 && errno == EINTR)
		;
	_exit(127);
}

/* Return: 0 once swtpm runs, errno if it could not be executed. */
static int start_swtpm(struct client *c, int tpm_fd, struct vtf_error *err)
{
	pid_t parent = getpid();
	int report[2], reason = 0;
	ssize_t n;

	if (pipe2(report, O_CLOEXEC))
		return vtf_error_set(err, VTF_EXIT_INTERNAL, "pipe: %s", strerror(errno));
	c->tpm_pid = fork();
	if (!c->tpm_pid)
		exec_swtpm(tpm_fd, report[1], c->target->name, parent);
	close(report[1]);
	if (c->tpm_pid < 0) {
		c->tpm_pid = 0;
		close(report[0]);
		return vtf_error_set(err, VTF_EXIT_INTERNAL, "fork: %s", strerror(errno));
	}
	do
		n = read(report[0], &reason, sizeof(reason));
	while (n < 0 && errno == EINTR);
	close(report[0]);
	if (!n)
		return 0;
	waitpid(c->tpm_pid, NULL, 0);
	c->tpm_pid = 0;
	return vtf_error_set(err, VTF_EXIT_MISSING,
			     "cannot run %s: %s; install swtpm, or name it in the environment "
			     "variable SWTPM",
			     swtpm_binary(), strerror(reason));
}

static int pingpong_open(struct client *c, struct vtf_error *err)
{
	int pair[2], rc;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return vtf_error_set(err, VTF_EXIT_INTERNAL, "socketpair: %s", strerror(errno));
	c->fd = pair[0];
	rc = start_swtpm(c, pair[1], err);
	close(pair[1]);
	return rc ? -1 : client_raw_startup(c, err);
}

static void pingpong_close(struct client *c)
{
	uint64_t deadline_ns = clock_now_ns() + END_NS;
	pid_t got = 0;

	if (c->fd >= 0)
		close(c->fd); /* end of file: swtpm ends */
	c->fd = -1;
	if (!c->tpm_pid)
		return;
	kill(c->tpm_pid, SIGTERM);
	while (!(got = waitpid(c->tpm_pid, NULL, WNOHANG)) && clock_now_ns() < deadline_ns)
		clock_sleep_until(clock_now_ns() + NS_PER_MS);
	if (!got) {
		kill(c->tpm_pid, SIGKILL);
		waitpid(c->tpm_pid, NULL, 0);
	}
	c->tpm_pid = 0;
}

static ssize_t pingpong_transmit(struct client *c, const struct tpm_command *cmd,
				 uint8_t *response, size_t size)
{
	return tpm_fd_transmit(c->fd, cmd, response, size);
}

const struct client_ops client_pingpong = {
	.transport = "socketpair",
	.open = pingpong_open,
	.close = pingpong_close,
	.banks = client_raw_banks,
	.prepare = client_raw_prepare,
	.extend = client_raw_extend,
	.pcr_read = client_raw_pcr_read,
	.transmit = pingpong_transmit,
};
