// SPDX-License-Identifier: GPL-2.0
/* gnuplot draws a chart's script; what it cannot do (a look for dark pages) is added to its SVG. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "chart.h"
#include "report.h"

static const char style[] =
	"<style>\n"
	"@media (prefers-color-scheme: dark) {\n"
	"  rect[fill=\"#ffffff\"] { fill: #14181d }\n"
	"  [color=\"black\"] { color: #d7dce2 }\n"
	"  [stroke=\"black\"] { stroke: #d7dce2 }\n"
	"  [fill=\"black\"] { fill: #d7dce2 }\n"
	"  [stroke=\"rgb(221, 224, 228)\"] { stroke: #343a42 }\n"
	"}\n"
	"</style>\n";

/* gnuplot with the script as its input; its output lands in @svg_fd. */
static int run_gnuplot(int script_fd, int svg_fd)
{
	/* -d: no start-up files, so the chart is the same for everybody. */
	char *const argv[] = { (char *)"gnuplot", (char *)"-d", NULL };
	posix_spawn_file_actions_t actions;
	int status = 0, err;
	pid_t pid = 0;

	err = posix_spawn_file_actions_init(&actions);
	if (err)
		return -err;
	err = posix_spawn_file_actions_adddup2(&actions, script_fd, STDIN_FILENO);
	if (!err)
		err = posix_spawn_file_actions_adddup2(&actions, svg_fd, STDOUT_FILENO);
	if (!err)
		err = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (err)
		return -err;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EPIPE;
}

/* gnuplot's SVG with our style and a title that says something. */
static int finish_svg(const char *raw, const char *title, char **svg)
{
	static const char old_title[] = "<title>Gnuplot</title>";
	const char *head = strstr(raw, old_title);
	size_t size = 0;
	FILE *out;

	if (!head)
		return -EPIPE;
	out = open_memstream(svg, &size);
	if (!out)
		return -ENOMEM;
	fwrite(raw, 1, (size_t)(head - raw), out);
	fprintf(out, "<title>%s</title>\n%s%s", title, style, head + sizeof(old_title) - 1);
	return fclose(out) ? -ENOMEM : 0;
}

static int read_back(int fd, char **text)
{
	off_t size = lseek(fd, 0, SEEK_END);
	ssize_t got;

	if (size < 0)
		return -errno;
	*text = calloc(1, (size_t)size + 1);
	if (!*text)
		return -ENOMEM;
	got = pread(fd, *text, (size_t)size, 0);
	if (got < 0)
		return -errno;
	return got == size ? 0 : -EIO;
}

int report_draw(const struct report_chart *chart, const struct report *report,
		const struct report_rows *rows, char **svg)
{
	int script_fd = memfd_create("gnuplot-script", MFD_CLOEXEC);
	int svg_fd = memfd_create("gnuplot-svg", MFD_CLOEXEC);
	FILE *script = NULL;
	char *raw = NULL;
	int err = 0;

	if (script_fd < 0 || svg_fd < 0) {
		err = -errno;
		goto out;
	}
	script = fdopen(dup(script_fd), "w");
	if (!script) {
		err = -errno;
		goto out;
	}
	err = chart_script(script, chart, report, rows);
	if (fclose(script) && !err)
		err = -EIO;
	if (!err && lseek(script_fd, 0, SEEK_SET) < 0)
		err = -errno;
	if (!err)
		err = run_gnuplot(script_fd, svg_fd);
	if (!err)
		err = read_back(svg_fd, &raw);
	if (!err)
		err = raw ? finish_svg(raw, chart_title(chart->kind), svg) : -EIO;
out:
	free(raw);
	if (script_fd >= 0)
		close(script_fd);
	if (svg_fd >= 0)
		close(svg_fd);
	return err;
}
