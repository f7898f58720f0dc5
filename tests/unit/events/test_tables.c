/* SPDX-License-Identifier: BSD-2-Clause */
/* The folder of event tables, read through a port: its files and their errors. */
#include "tests/unit/test.h"
#include "tests/unit/fakes/events.h"
#include "pmu/events/tables.h"

#define INDEX        "barecount-index,1\n"
#define FILES_MAX    24u
#define MEMORIES_MAX 64u
#define ERRORS       16u
#define MIB          (1u << 20)

struct file {
    const char *name;
    const char *text; /* null: the file cannot be opened */
    int64_t more;     /* bytes by which the reported size exceeds the text */
};

static const struct file *folder;
static void *memories[MEMORIES_MAX];
static unsigned memory_count;
static char said[ERRORS][256];
static unsigned said_count;
static bool breaks_off;
static uint32_t next_model; /* a new model each time, because tables are cached by CPU */

static const struct file *find(const char *name)
{
    for (const struct file *file = folder; file->name; file++)
        if (strcmp(file->name, name) == 0 && file->text)
            return file;
    return NULL;
}

static void *take_memory(size_t bytes)
{
    assert_true(memory_count < MEMORIES_MAX);
    return memories[memory_count++] = calloc(1, bytes);
}

static int64_t size_of(const char *name)
{
    const struct file *file = find(name);

    return file ? (int64_t)strlen(file->text) + file->more : -1;
}

static int64_t read_file(const char *name, void *to, size_t size)
{
    const char *text = find(name)->text;
    size_t bytes = strlen(text) < size ? strlen(text) : size;

    memcpy(to, text, bytes);
    return (int64_t)bytes;
}

static const char *why(void)
{
    return "the stick is broken";
}

static bool list(void (*each)(void *context, const char *name, bool is_folder), void *context)
{
    each(context, "folder.csv", true);
    for (const struct file *file = folder; file->name && !(breaks_off && !file[1].name); file++)
        each(context, file->name, false);
    return !breaks_off;
}

static const struct tables_port PORT = {
    .folder = "/events",
    .separator = '/',
    .memory = take_memory,
    .size = size_of,
    .read = read_file,
    .error = why,
    .list = list,
};

static void note(void *context, const char *sentence)
{
    (void)context;
    assert_true(said_count < ERRORS);
    snprintf(said[said_count++], sizeof(said[0]), "%s", sentence);
}

static const struct table_source *look(const struct file *files)
{
    struct cpu_caps caps = SKYLAKE;

    folder = files;
    caps.model = next_model;
    said_count = 0;
    return tables_of(&PORT, &caps, note, NULL);
}

static void start_anew(void)
{
    while (memory_count > 0)
        free(memories[--memory_count]);
    next_model++;
    breaks_off = false;
}

BEFORE_EACH(start_anew);

static bool has(const struct table_source *source, const char *name)
{
    return event_table_find(&source->tables, piece_of(name)) != NULL;
}

TEST(what_a_folder_holds)
{
    static const struct file FILES[] = {
        {"index.csv", INDEX "other.csv,GenuineIntel,7,,,\ncpu.csv,GenuineIntel,6,,,\n", 0},
        {"z.csv", USERS_HEAD "BOTH,3,,,,,,\n", 0},
        {"A.CSV", USERS_HEAD "BOTH,2,,,,,,\nOWN,4,,,,,,\n", 0},
        {"cpu.csv", TABLE_HEAD "CPU.ONE,1,,,,,,\n", 0},
        {"other.csv", TABLE_HEAD "CPU.OTHER,1,,,,,,\n", 0},
        {"notes.txt", "NOT.AN.EVENT,1\n", 0},
        {"empty.csv", "", 0},
        {NULL, NULL, 0},
    };
    const struct table_source *source = look(FILES);

    assert_int_equal(said_count, 0);
    assert_string_equal(source->file, "cpu.csv");
    assert_true(has(source, "CPU.ONE") && has(source, "OWN"));
    assert_false(has(source, "CPU.OTHER") || has(source, "NOT.AN.EVENT"));
    assert_int_equal(event_table_find(&source->tables, piece_of("BOTH"))->select, 3);
    assert_ptr_equal(look(NULL), source); /* cached */
}

/* Without a readable index, it is not known which files are the user's own. */
TEST(an_index_that_cannot_be_read)
{
    static const struct file FILES[] = {
        {"index.csv", INDEX "cpu.csv,GenuineIntel,6,,,\n", 1},
        {"cpu.csv", TABLE_HEAD "CPU.ONE,1,,,,,,\n", 0},
        {"own.csv", USERS_HEAD "OWN,4,,,,,,\n", 0},
        {NULL, NULL, 0},
    };
    const struct table_source *source = look(FILES);

    assert_int_equal(said_count, 2);
    assert_string_equal(said[0], "/events/index.csv: the stick is broken");
    assert_string_equal(said[1], "/events: without index.csv no table is read");
    assert_false(has(source, "CPU.ONE") || has(source, "OWN"));
}

TEST(what_is_wrong_with_a_folder)
{
    static const struct file FILES[] = {
        {"index.csv", INDEX "cpu.csv,GenuineIntel,6,,,\n", 0},
        {"a-broken.csv", NULL, 0},
        {"b-large.csv", USERS_HEAD "LARGE,1,,,,,,\n", 8 * MIB},
        {"c-short.csv", USERS_HEAD "SHORT,1,,,,,,\n", 1},
        {"d-made.csv", "barecount-events,1,made from something\n", 0},
        {"good.csv", USERS_HEAD "GOOD,1,,,,,,\n", 0},
        {NULL, NULL, 0},
    };
    static const char *const EXPECTED[] = {
        "/events/cpu.csv: the file cannot be opened: the stick is broken",
        "/events/a-broken.csv: the file cannot be opened: the stick is broken",
        "/events/b-large.csv: the file is too large; expected at most 8 MiB",
        "/events/c-short.csv: the stick is broken",
        "/events/d-made.csv:1: index.csv names this table for no CPU; it is left out",
    };
    const struct table_source *source = look(FILES);

    for (unsigned i = 0; i < said_count && i < sizeof(EXPECTED) / sizeof(EXPECTED[0]); i++)
        assert_string_equal(said[i], EXPECTED[i]);
    assert_int_equal(said_count, sizeof(EXPECTED) / sizeof(EXPECTED[0]));
    assert_true(has(source, "GOOD"));
    assert_int_equal(source->tables.count, 1);
    look(NULL);
    assert_int_equal(said_count, sizeof(EXPECTED) / sizeof(EXPECTED[0])); /* reported again */
}

TEST(a_folder_without_an_index)
{
    static const struct file NOTHING[] = {{NULL, NULL, 0}};
    static const struct file OWN[] = {{"own.csv", USERS_HEAD "OWN,1,,,,,,\n", 0}, {NULL, NULL, 0}};
    const struct table_source *source = look(NOTHING);

    assert_int_equal(said_count, 0);
    assert_string_equal(source->file, "");
    assert_int_equal(source->tables.count, 0);
    start_anew();
    source = look(OWN);
    assert_int_equal(said_count, 1);
    assert_string_equal(said[0],
                        "/events: there is no index.csv, so only event files of your own are read");
    assert_true(has(source, "OWN"));
}

TEST(more_files_than_are_read)
{
    static struct file files[FILES_MAX];
    static char names[FILES_MAX][8];
    const struct table_source *source;

    files[0] = (struct file){"index.csv", INDEX, 0};
    for (unsigned i = 1; i <= 17; i++) {
        snprintf(names[i], sizeof(names[i]), "%02u.csv", i);
        files[i] = (struct file){names[i], USERS_HEAD "E,1,,,,,,\n", 0};
    }
    files[16].text = USERS_HEAD "LAST,1,,,,,,\n";
    files[17].text = USERS_HEAD "BEYOND,1,,,,,,\n";
    source = look(files);
    assert_int_equal(said_count, 1);
    assert_string_equal(said[0],
                        "/events: more than 16 files of your own; the others are left out");
    assert_true(has(source, "LAST"));
    assert_false(has(source, "BEYOND"));
}

TEST(a_folder_whose_list_breaks_off)
{
    static const struct file FILES[] = {
        {"index.csv", INDEX, 0},
        {"first.csv", USERS_HEAD "FIRST,2,,,,,,\n", 0},
        {"last.csv", USERS_HEAD "LAST,3,,,,,,\n", 0},
        {NULL, NULL, 0},
    };
    const struct table_source *source;

    breaks_off = true;
    source = look(FILES);
    assert_true(has(source, "FIRST"));
    assert_false(has(source, "LAST"));
    assert_int_equal(said_count, 1);
    assert_string_equal(said[0], "/events: the stick is broken");
}
