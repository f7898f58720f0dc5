/* SPDX-License-Identifier: BSD-2-Clause */
/* Renders the files of a run into a folder under Linux. */
#include <stdio.h>

#include "pmu/files/machine_file.h"
#include "pmu/report/report.h"
#include "scripts/lib/render_files.h"

#define BUFFER_BYTES 65536u

static bool drain(void *context, const char *bytes, size_t count)
{
    return fwrite(bytes, 1, count, context) == count;
}

static bool render_to(FILE *file, const struct render *render,
                      bool (*function)(const struct render *render, struct out *out))
{
    static char buffer[BUFFER_BYTES];
    struct out out = out_stream(buffer, sizeof(buffer), drain, file);
    bool done = function(render, &out) && out_flush(&out);

    return fclose(file) == 0 && done;
}

bool render_files(const struct render *render, const char *folder, char path[RENDER_PATH_BYTES])
{
    static const struct {
        const char *name;
        bool (*function)(const struct render *render, struct out *out);
        bool (*has)(const struct render *render); /* null: the file is always written */
    } FILES[] = {
        {"results.csv", render_results_csv, 0},
        {"summary.txt", report_summary_txt, 0},
        {"summary.html", render_summary_html, 0},
        {"check.txt", report_check_txt, report_has_check},
        {"machine.txt", render_machine_txt, render_has_machine},
        {"trust.csv", render_trust_csv, render_has_trust},
        {"samples.csv", render_samples_csv, 0},
        {"run.json", render_run_json, 0},
    };

    for (unsigned i = 0; i < sizeof(FILES) / sizeof(FILES[0]); i++) {
        FILE *file;

        if (FILES[i].has && !FILES[i].has(render))
            continue;
        snprintf(path, RENDER_PATH_BYTES, "%.3800s/%s", folder, FILES[i].name);
        file = fopen(path, "wb");
        if (!file || !render_to(file, render, FILES[i].function))
            return false;
    }
    return true;
}

static struct index_file look_at(const char *path)
{
    FILE *file = fopen(path, "rb");
    char start[INDEX_START_BYTES], last = 0;
    size_t count = 0;

    if (file) {
        count = fread(start, 1, sizeof(start), file);
        if (fseek(file, -1, SEEK_END) == 0)
            last = (char)fgetc(file);
        fclose(file);
    }
    return index_look(start, count, last);
}

bool render_index(const struct render *render, const char *path, bool *is_other)
{
    const struct index_file index = look_at(path);
    char line[1024];
    struct out out = out_buffer(line, sizeof(line));
    FILE *file;
    bool done;

    *is_other = index.is_other;
    if (index.is_other)
        return true;
    file = fopen(path, "ab");
    if (!file)
        return false;
    done = render_index_line(render, &index, &out) && fwrite(line, 1, out.used, file) == out.used;
    return fclose(file) == 0 && done;
}
