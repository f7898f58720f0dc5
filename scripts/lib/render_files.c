/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

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
    } FILES[] = {
        {"results.csv", render_results_csv},
        {"samples.csv", render_samples_csv},
        {"run.json", render_run_json},
    };

    for (unsigned i = 0; i < sizeof(FILES) / sizeof(FILES[0]); i++) {
        FILE *file;

        snprintf(path, RENDER_PATH_BYTES, "%.3800s/%s", folder, FILES[i].name);
        file = fopen(path, "wb");
        if (!file || !render_to(file, render, FILES[i].function))
            return false;
    }
    return true;
}

bool render_index(const struct render *render, const char *path)
{
    FILE *found = fopen(path, "rb");
    FILE *file = fopen(path, "ab");

    if (found)
        fclose(found);
    if (!file)
        return false;
    if (!found)
        fputs(INDEX_HEADER, file);
    return render_to(file, render, render_index_line);
}
