/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers CPUID with the leaves of another machine. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scripts/linux/machine.h"

#define LINE_BYTES 512u
#define HEX        "0123456789abcdefABCDEF"

struct answer {
    unsigned cpu;
    uint32_t leaf, subleaf;
    struct cpuid_regs regs; /* zeros if the CPU lacks a leaf that the first CPU has */
};

static struct answer *answer;
static size_t answers, room;
/* cpuid() answers for this CPU. If a leaf is not listed for it, the first CPU's leaf is used. */
static unsigned asked;

bool machine_is_file(const char *text)
{
    const size_t length = strlen(text);

    return length > 4 && strcmp(text + length - 4, ".txt") == 0;
}

static const struct answer *find(unsigned cpu, uint32_t leaf, uint32_t subleaf)
{
    for (size_t i = 0; i < answers; i++)
        if (answer[i].cpu == cpu && answer[i].leaf == leaf && answer[i].subleaf == subleaf)
            return &answer[i];
    return NULL;
}

static void cpuid(uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs)
{
    const struct answer *found = find(asked, leaf, subleaf);

    if (!found)
        found = find(answer[0].cpu, leaf, subleaf);
    *regs = found ? found->regs : (struct cpuid_regs){0};
}

static bool take_answer(const char *line, unsigned cpu)
{
    struct answer next = {.cpu = cpu};
    char rest[2], word[8] = "";
    int fields = sscanf(line, "%x %x %x %x %x %x %1s", &next.leaf, &next.subleaf, &next.regs.eax,
                        &next.regs.ebx, &next.regs.ecx, &next.regs.edx, rest);

    if (fields != 6 && (sscanf(line, "%x %x %7s %1s", &next.leaf, &next.subleaf, word, rest) != 3 ||
                        strcmp(word, "absent") != 0))
        return false;
    if (fields != 6)
        next.regs = (struct cpuid_regs){0};
    if (answers == room) {
        room = room ? 2 * room : 256;
        answer = realloc(answer, room * sizeof(*answer));
        if (!answer)
            abort();
    }
    answer[answers++] = next;
    return true;
}

/* On a malformed line, prints an error and returns false. */
static bool read_answers(const char *path, FILE *file)
{
    char line[LINE_BYTES];
    unsigned number = 0, cpu = 0;
    bool is_cpu = false;

    while (fgets(line, sizeof(line), file)) {
        const size_t digits = strspn(line, HEX);

        number++;
        line[strcspn(line, "\r\n")] = 0;
        if (line[0] == 0 || line[0] == '#')
            continue;
        if (digits == 0 || line[digits] != ' ') {
            is_cpu = sscanf(line, "cpu %u", &cpu) == 1 || (is_cpu && strncmp(line, "lost", 4) == 0);
        } else if (is_cpu && !take_answer(line, cpu)) {
            fprintf(stderr,
                    "barecount-linux: --for: %s:%u: expected LEAF SUBLEAF EAX EBX ECX EDX, found "
                    "'%s'\n",
                    path, number, line);
            return false;
        }
    }
    return true;
}

/* Keeps one CPU for each kind of core, performance cores first. */
static void add_cpu(struct other_cpus *found)
{
    struct other_cpu cpu = {.is_read = true};
    unsigned at = found->count;

    caps_read(cpuid, &cpu.caps);
    cpu.model = cpu_model_of(&cpu.caps);
    for (unsigned i = 0; i < found->count; i++)
        if (caps_core(&found->cpu[i].caps) == caps_core(&cpu.caps))
            return;
    if (at == OTHER_CORE_TYPES)
        return;
    for (; at > 0 && cpu.caps.core_type > found->cpu[at - 1].caps.core_type; at--)
        found->cpu[at] = found->cpu[at - 1];
    found->cpu[at] = cpu;
    found->count++;
}

bool machine_cpus_read(const char *path, struct other_cpus *found)
{
    FILE *file = fopen(path, "r");
    bool is_read;

    if (!file) {
        fprintf(stderr, "barecount-linux: --for: %s: %s\n", path, strerror(errno));
        return false;
    }
    is_read = read_answers(path, file);
    fclose(file);
    if (!is_read)
        return false;
    if (answers == 0 || !find(answer[0].cpu, 0, 0) || !find(answer[0].cpu, 1, 0)) {
        fprintf(
            stderr,
            "barecount-linux: --for: %s: expected a machine.txt, which has CPUID leaves 0 and 1 "
            "in a section 'cpu N'\n",
            path);
        return false;
    }
    for (size_t i = 0; i < answers; i++)
        if (i == 0 || answer[i].cpu != answer[i - 1].cpu) {
            asked = answer[i].cpu;
            add_cpu(found);
        }
    return true;
}
