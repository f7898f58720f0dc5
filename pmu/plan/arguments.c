/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the command line. */
#include "pmu/plan/arguments.h"

#include <stdint.h>

#include "pmu/base/nearest.h"
#include "pmu/base/text.h"

#define LINE_BYTES 1024u
#define WORDS_MAX  16u

struct option {
    const char *name;
    enum arguments_action action;
    enum { VALUE_NONE, VALUE_MAY, VALUE_MUST } value;
    size_t offset; /* in struct arguments */
};

static const struct option OPTIONS[] = {
    {"plan", ACTION_RUN, VALUE_MUST, offsetof(struct arguments, plan)},
    {"cpus", ACTION_RUN, VALUE_MUST, offsetof(struct arguments, cpus)},
    {"check-plan", ACTION_CHECK_PLAN, VALUE_MAY, offsetof(struct arguments, plan)},
    {"list-events", ACTION_LIST_EVENTS, VALUE_MAY, offsetof(struct arguments, pattern)},
    {"list-kernels", ACTION_LIST_KERNELS, VALUE_MAY, offsetof(struct arguments, pattern)},
    {"help", ACTION_HELP, VALUE_NONE, 0},
};
#define OPTIONS_COUNT (sizeof(OPTIONS) / sizeof(OPTIONS[0]))

const char ARGUMENTS_HELP[] =
    "barecount [--plan FILE] [--cpus LIST]   measure; results go to \\barecount\\results\n"
    "          --check-plan [FILE]           show what a plan would do, and its errors\n"
    "          --list-events [PATTERN]       list the events of this CPU\n"
    "          --list-kernels [PATTERN]      list the test kernels by family\n"
    "          --help                        show this text\n"
    "FILE is a path on the volume of the results (default \\barecount\\plan.cfg).\n"
    "LIST is all, boot, one-per-core, performance, efficiency, or numbers such as 0,2-5.\n"
    "PATTERN is part of a name.\n";

static void wrong(struct arguments *arguments, const char *format, const char *word)
{
    if (!arguments->error[0])
        out_put(arguments->error, sizeof(arguments->error), format, word);
}

/* Converts the line to ASCII. False if it is too long or contains anything but printable ASCII. */
static bool narrow(const unsigned short *line, size_t units, char text[LINE_BYTES])
{
    size_t i = 0;

    for (; i < units && line[i]; i++) {
        if (i == LINE_BYTES - 1 || line[i] < ' ' || line[i] > '~')
            return false;
        text[i] = (char)line[i];
    }
    text[i] = 0;
    return true;
}

struct words {
    char *word[WORDS_MAX];
    unsigned count;
    unsigned next;
};

/* Cuts a text into words in place, without quotes. False if there are too many. */
static bool cut_words(char *text, struct words *words)
{
    char *to = text;

    for (char *at = text; *at;) {
        bool quoted = false;

        while (*at == ' ')
            at++;
        if (!*at)
            break;
        if (words->count == WORDS_MAX)
            return false;
        words->word[words->count++] = to;
        for (; *at && (quoted || *at != ' '); at++) {
            if (*at == '"')
                quoted = !quoted;
            else
                *to++ = *at;
        }
        at += *at == ' ';
        *to++ = 0;
    }
    return true;
}

static bool is_switch(const char *word)
{
    return word[0] == '-' && word[1] == '-';
}

static char *cut_value(char *word)
{
    while (*word && *word != '=')
        word++;
    if (!*word)
        return 0;
    *word = 0;
    return word + 1;
}

static void take_value(struct arguments *arguments, const struct option *option, const char *value)
{
    char *to = (char *)arguments + option->offset;

    if (text_length(value) >= ARGUMENT_BYTES)
        wrong(arguments, "--%s: the value is too long", option->name);
    else
        text_copy(to, ARGUMENT_BYTES, value);
}

static const struct option *find_option(const char *name)
{
    for (size_t i = 0; i < OPTIONS_COUNT; i++)
        if (text_same(OPTIONS[i].name, name))
            return &OPTIONS[i];
    return 0;
}

static void unknown_switch(struct arguments *arguments, const char *word)
{
    char text[ARGUMENT_ERROR_BYTES];
    struct out out = out_buffer(text, sizeof(text));
    struct nearest best = nearest_to(piece_of(word + 2));

    if (text_same(word, "--for"))
        wrong(arguments, "'%s' is an option of barecount-linux only: use that on any workstation",
              word);
    for (size_t i = 0; i < OPTIONS_COUNT; i++)
        nearest_consider(&best, piece_of(OPTIONS[i].name));
    out_printf(&out, "no option is called '%s'", word);
    for (unsigned i = 0; i < best.count; i++)
        out_printf(&out, "%s--%s", i == 0 ? "; nearest: " : ", ", best.name[i].at);
    if (best.count == 0)
        out_text(&out, "; --help lists the options");
    wrong(arguments, "%s", out_end(&out));
}

static void take_switch(struct arguments *arguments, char *word, struct words *words)
{
    char *value = cut_value(word);
    const struct option *option = find_option(word + 2);

    if (!option) {
        unknown_switch(arguments, word);
        return;
    }
    if (option->action != ACTION_RUN && arguments->action != ACTION_RUN)
        wrong(arguments, "'%s': another option already says what to do", word);
    if (option->action != ACTION_RUN)
        arguments->action = option->action;
    if (!value && option->value != VALUE_NONE && words->next < words->count &&
        !is_switch(words->word[words->next]))
        value = words->word[words->next++];
    if (value && option->value == VALUE_NONE)
        wrong(arguments, "'%s' takes no value", word);
    else if (value && *value)
        take_value(arguments, option, value);
    else if (option->value == VALUE_MUST)
        wrong(arguments, "'%s' needs a value", word);
}

void arguments_parse(const unsigned short *line, size_t units, struct arguments *arguments)
{
    char text[LINE_BYTES];
    struct words words = {.count = 0};
    unsigned before = 0;

    *arguments = (struct arguments){.given = false};
    if (!narrow(line, units, text) || !text_find(text, "--"))
        return;
    if (!cut_words(text, &words))
        wrong(arguments, "too many words%s; --help shows what is expected", "");
    while (words.next < words.count) {
        char *word = words.word[words.next++];

        if (is_switch(word)) {
            arguments->given = true;
            take_switch(arguments, word, &words);
        } else if (arguments->given || before++ > 0) {
            wrong(arguments, "'%s' is not expected here; --help shows what is", word);
        }
    }
    if (!arguments->given) /* "--" occurred only within words */
        *arguments = (struct arguments){.given = false};
}
