// SPDX-License-Identifier: GPL-2.0
#include "tpm_identity.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "clock.h"
#include "tpm_raw.h"

/* Part 2, 6.12 and 6.13 */
#define TPM_CAP_TPM_PROPERTIES 6U
#define TPM_PT_FIXED 0x100U
#define PT_FAMILY 0U
#define PT_REVISION 2U
#define PT_MANUFACTURER 5U
#define PT_VENDOR_1 6U
#define PT_VENDOR_4 9U
#define PT_FIRMWARE_1 11U
#define PT_FIRMWARE_2 12U
#define PROPERTY_COUNT 13U

/* moreData, capability, count, then pairs of property and value */
#define LIST_AT (TPM_HEADER_BYTES + 9U)
#define PAIR_BYTES 8U

/* What the asking process sends back: small enough to be written at once. */
struct answer {
	struct vtf_error err;
	struct tpm_identity identity;
};

static uint32_t be32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Four characters, padded with NULs or blanks; what cannot be printed becomes '?'. */
static void append_chars(char text[TPM_IDENTITY_TEXT_BYTES], uint32_t value)
{
	size_t len = strlen(text);

	for (int shift = 24; shift >= 0 && len < TPM_IDENTITY_TEXT_BYTES - 1; shift -= 8) {
		char c = (char)(value >> shift & 0xff);

		if (c && (c < ' ' || c > '~'))
			c = '?';
		if (c)
			text[len++] = c;
	}
	text[len] = '\0';
}

static void trim(char *text)
{
	size_t len = strlen(text);

	while (len && text[len - 1] == ' ')
		text[--len] = '\0';
}

static void take_property(struct tpm_identity *identity, uint32_t property, uint32_t value)
{
	if (property == PT_FAMILY)
		append_chars(identity->family, value);
	else if (property == PT_REVISION)
		identity->revision = value;
	else if (property == PT_MANUFACTURER)
		append_chars(identity->manufacturer, value);
	else if (property >= PT_VENDOR_1 && property <= PT_VENDOR_4)
		append_chars(identity->vendor, value);
	else if (property == PT_FIRMWARE_1)
		identity->firmware_version_1 = value;
	else if (property == PT_FIRMWARE_2)
		identity->firmware_version_2 = value;
}

static int decode(const uint8_t *response, size_t len, struct tpm_identity *identity)
{
	uint32_t count;

	memset(identity, 0, sizeof(*identity));
	if (len < LIST_AT || be32(response + TPM_HEADER_BYTES + 1) != TPM_CAP_TPM_PROPERTIES)
		return -EPROTO;
	count = be32(response + TPM_HEADER_BYTES + 5);
	if (count > (len - LIST_AT) / PAIR_BYTES)
		return -EPROTO;
	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *pair = response + LIST_AT + (size_t)i * PAIR_BYTES;

		take_property(identity, be32(pair) - TPM_PT_FIXED, be32(pair + 4));
	}
	trim(identity->family);
	trim(identity->manufacturer);
	trim(identity->vendor);
	return 0;
}

static void ask(const char *node, struct answer *answer)
{
	uint8_t response[TPM_MAX_BYTES];
	struct tpm_command command;
	int fd = client_open_node(node, &answer->err);
	int64_t code;
	ssize_t len;

	if (fd < 0)
		return;
	tpm_encode_get_capability(&command, TPM_CAP_TPM_PROPERTIES, TPM_PT_FIXED, PROPERTY_COUNT);
	len = tpm_fd_transmit(fd, &command, response, sizeof(response));
	if (len < 0) {
		vtf_error_set(&answer->err, VTF_EXIT_TPM, "GetCapability on %s: %s", node,
			      strerror((int)-len));
		goto out;
	}
	code = tpm_response_code(response, (size_t)len);
	if (code > 0)
		vtf_error_set(&answer->err, VTF_EXIT_TPM, "GetCapability on %s: TPM_RC 0x%llx",
			      node, (unsigned long long)code);
	else if (code < 0 || decode(response, (size_t)len, &answer->identity))
		vtf_error_set(&answer->err, VTF_EXIT_TPM, "GetCapability on %s: malformed answer",
			      node);
out:
	close(fd);
}

/* Nothing of the caller's may stay open in here: closing a hung TPM can outlast the caller. */
static _Noreturn void run_child(const char *node, int to_parent)
{
	static struct answer answer;
	const int keep = STDERR_FILENO + 1;
	int null = open("/dev/null", O_RDWR);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
	    dup2(null, STDERR_FILENO) < 0)
		_exit(1);
	if (to_parent != keep && dup2(to_parent, keep) < 0)
		_exit(1);
	close_range((unsigned int)keep + 1, ~0U, 0);
	ask(node, &answer);
	_exit(write(keep, &answer, sizeof(answer)) == (ssize_t)sizeof(answer) ? 0 : 1);
}

static int wait_for_answer(int fd, int limit_ms, struct answer *answer)
{
	uint64_t deadline_ns = clock_now_ns() + (uint64_t)limit_ms * NS_PER_MS;
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	int rc;

	do {
		uint64_t now_ns = clock_now_ns();

		rc = poll(&poll_fd, 1,
			  now_ns < deadline_ns ? (int)((deadline_ns - now_ns) / NS_PER_MS) : 0);
	} while (rc < 0 && errno == EINTR);
	if (rc <= 0)
		return -ETIME;
	return read(fd, answer, sizeof(*answer)) == (ssize_t)sizeof(*answer) ? 0 : -EIO;
}

int tpm_identity_read(const char *node, int limit_ms, struct tpm_identity *identity,
		      struct vtf_error *err)
{
	struct answer answer;
	int fds[2], rc;
	pid_t child;

	if (pipe2(fds, O_CLOEXEC))
		return vtf_error_set(err, VTF_EXIT_INTERNAL, "pipe: %s", strerror(errno));
	child = fork();
	if (!child)
		run_child(node, fds[1]);
	close(fds[1]);
	if (child < 0) {
		close(fds[0]);
		return vtf_error_set(err, VTF_EXIT_INTERNAL, "fork: %s", strerror(errno));
	}
	rc = wait_for_answer(fds[0], limit_ms, &answer);
	close(fds[0]);
	/* A child in a hung driver goes when the kernel's own time limit runs out; init reaps it. */
	if (rc)
		kill(child, SIGKILL);
	else
		waitpid(child, NULL, 0);
	if (rc)
		return vtf_error_set(err, VTF_EXIT_TPM, "%s: %s", node,
				     rc == -ETIME ? "no answer in time" : "the asking process failed");
	*identity = answer.identity;
	if (answer.err.code != VTF_EXIT_DONE)
		return vtf_error_set(err, answer.err.code, "%s", answer.err.text);
	return 0;
}
