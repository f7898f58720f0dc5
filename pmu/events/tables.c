/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads the event tables of a folder, once for each kind of CPU. */
#include "pmu/events/index.h"
#include "pmu/base/status.h"
#include "pmu/events/tables.h"
#include "pmu/base/text.h"

#define INDEX           "index.csv"
#define KINDS_MAX       8u
#define OWN_FILES_MAX   16u
#define FILE_BYTES_MAX  (8u << 20)
#define ERRORS_MAX      8u  /* for one file */
#define KIND_ERRORS     12u /* per kind of CPU */
#define SENTENCE_BYTES  192u
#define OWN_NAMES_BYTES 96u

struct text {
    const char *bytes;
    size_t size;
};

/* CPUs with equal vendor, family, model, stepping and core type share the tables. */
struct kind {
    uint32_t vendor, family, model, stepping, core;
    unsigned errors;
    struct table_source source;
    char error_text[KIND_ERRORS][SENTENCE_BYTES]; /* passed to say() on every call */
};

struct error_place {
    const struct tables_port *port;
    struct kind *kind;
    const char *file; /* "": the folder itself */
    unsigned count;   /* errors of the file */
};

struct own_files {
    struct text index;
    unsigned count;
    unsigned left_out; /* beyond OWN_FILES_MAX */
    char name[OWN_FILES_MAX][OWN_NAMES_BYTES];
};

static struct kind kinds[KINDS_MAX];
static unsigned kinds_used;

static void add_error(void *context, uint32_t line, const char *sentence)
{
    struct error_place *place = context;
    struct kind *kind = place->kind;
    struct out out;

    if (place->count++ > ERRORS_MAX || kind->errors == KIND_ERRORS)
        return;
    out = out_buffer(kind->error_text[kind->errors++], SENTENCE_BYTES);
    out_text(&out, place->port->folder);
    if (place->file[0])
        out_printf(&out, "%c%s", place->port->separator, place->file);
    out_char(&out, ':');
    if (line > 0)
        out_printf(&out, "%u:", line);
    out_printf(&out, " %s", place->count > ERRORS_MAX ? "more of its lines have errors" : sentence);
    out_end(&out);
}

static struct text read_file(const char *name, struct error_place *place)
{
    const struct tables_port *port = place->port;
    int64_t size = port->size(name);
    char *bytes;

    if (size <= 0)
        return (struct text){0};
    if (size > FILE_BYTES_MAX) {
        add_error(place, 0, "the file is too large; expected at most 8 MiB");
        return (struct text){0};
    }
    bytes = port->memory((size_t)size);
    if (!bytes || port->read(name, bytes, (size_t)size) != size) {
        add_error(place, 0, bytes ? port->error() : status_text(STATUS_NO_MEMORY));
        return (struct text){0};
    }
    return (struct text){bytes, (size_t)size};
}

static bool is_csv(const char *name)
{
    size_t length = text_length(name);

    return length > 4 && piece_is_any_case((struct piece){name + length - 4, 4}, ".csv");
}

static void add_own_file(void *context, const char *name, bool is_folder)
{
    struct own_files *own = context;
    unsigned at = own->count;

    if (is_folder || !is_csv(name) || event_index_names(own->index.bytes, own->index.size, name))
        return;
    if (own->count == OWN_FILES_MAX) {
        own->left_out++;
        return;
    }
    for (; at > 0 && text_before(name, own->name[at - 1]); at--)
        text_copy(own->name[at], OWN_NAMES_BYTES, own->name[at - 1]);
    text_copy(own->name[at], OWN_NAMES_BYTES, name);
    own->count++;
}

static size_t lines_of(struct text text)
{
    size_t lines = 1;

    for (size_t i = 0; i < text.size; i++)
        lines += text.bytes[i] == '\n';
    return lines;
}

static bool make_room(const struct tables_port *port, struct event_tables *tables, size_t rows)
{
    struct event_entry *entry = port->memory((tables->count + rows) * sizeof(*entry));

    if (!entry)
        return false;
    for (size_t i = 0; i < tables->count; i++)
        entry[i] = tables->entry[i];
    tables->entry = entry;
    tables->room = tables->count + rows;
    return true;
}

/* A user's own file does not say what it was made from. */
static bool is_made(struct text text)
{
    static const char MADE_FROM[] = "made from ";
    struct piece line = {text.bytes, text.size}, rest;

    line = piece_cut(line, '\n', &rest);
    piece_cut(line, ',', &rest);
    piece_cut(rest, ',', &rest);
    return rest.size >= sizeof(MADE_FROM) - 1 &&
           piece_is((struct piece){rest.at, sizeof(MADE_FROM) - 1}, MADE_FROM);
}

static bool is_there(const char *name, struct error_place *place)
{
    char sentence[80];

    if (place->port->size(name) >= 0)
        return true;
    add_error(
        place, 0,
        out_put(sentence, sizeof(sentence), "the file cannot be opened: %s", place->port->error()));
    return false;
}

static void read_table(struct event_tables *tables, const char *name, const struct cpu_caps *caps,
                       bool is_own, struct error_place *place)
{
    const struct event_errors errors = {.context = place, .line = add_error};
    struct text text;

    place->file = name;
    place->count = 0;
    if (!is_there(name, place))
        return;
    text = read_file(name, place);
    if (text.size == 0)
        return;
    if (is_own && is_made(text)) {
        add_error(place, 1, "index.csv names this table for no CPU; it is left out");
        return;
    }
    if (make_room(place->port, tables, lines_of(text)))
        event_table_read(tables, text.bytes, text.size, caps, is_own, &errors);
    else
        add_error(place, 0, status_text(STATUS_NO_MEMORY));
}

static void read_all(struct table_source *source, const struct cpu_caps *caps,
                     struct error_place *place)
{
    const struct event_errors errors = {.context = place, .line = add_error};
    struct own_files own = {.count = 0};
    struct piece file = {0};
    struct out out = out_buffer(source->file, sizeof(source->file));

    place->file = INDEX;
    own.index = read_file(INDEX, place);
    if (own.index.size == 0 && place->count > 0) {
        /* Without the index, the user's own files cannot be distinguished from other tables. */
        place->file = "";
        add_error(place, 0, "without index.csv no table is read");
        return;
    }
    if (own.index.size > 0)
        file = event_index_find(own.index.bytes, own.index.size, caps, &errors);
    piece_put(file, &out);
    out_end(&out);
    if (file.size > 0)
        read_table(&source->tables, source->file, caps, false, place);
    place->file = "";
    place->count = 0;
    if (!place->port->list(add_own_file, &own))
        add_error(place, 0, place->port->error());
    if (own.index.size == 0 && own.count > 0)
        add_error(place, 0, "there is no index.csv, so only event files of your own are read");
    if (own.left_out > 0)
        add_error(place, 0, "more than 16 files of your own; the others are left out");
    for (unsigned i = 0; i < own.count; i++)
        read_table(&source->tables, own.name[i], caps, true, place);
}

static struct kind *find_kind(const struct tables_port *port, const struct cpu_caps *caps)
{
    struct kind *kind = kinds;
    struct error_place place;

    for (; kind < kinds + kinds_used; kind++)
        if (kind->vendor == caps->vendor && kind->family == caps->family &&
            kind->model == caps->model && kind->stepping == caps->stepping &&
            kind->core == caps_core(caps))
            return kind;
    if (kinds_used == KINDS_MAX)
        return 0;
    kinds_used++;
    kind->vendor = caps->vendor;
    kind->family = caps->family;
    kind->model = caps->model;
    kind->stepping = caps->stepping;
    kind->core = caps_core(caps);
    place = (struct error_place){.port = port, .kind = kind};
    read_all(&kind->source, caps, &place);
    return kind;
}

const struct table_source *tables_of(const struct tables_port *port, const struct cpu_caps *caps,
                                     void (*say)(void *context, const char *sentence),
                                     void *context)
{
    static const struct table_source NONE;
    struct kind *kind = find_kind(port, caps);

    for (unsigned i = 0; kind && i < kind->errors; i++)
        say(context, kind->error_text[i]);
    return kind ? &kind->source : &NONE;
}
