/* SPDX-License-Identifier: BSD-2-Clause */
#include "prove_decode.h"

#include <capstone/capstone.h>
#include <stdio.h>
#include <string.h>

#define PREFIX_ADDRESS_SIZE 0x67

#define RFLAGS_CF (1u << 0)
#define RFLAGS_PF (1u << 2)
#define RFLAGS_ZF (1u << 6)
#define RFLAGS_SF (1u << 7)
#define RFLAGS_OF (1u << 11)

#define R 1u
#define W 2u

/*
 * What instructions do to memory. Capstone 4.0.2 tells the access of each operand too, but wrongly
 * for some: it calls the stores of MOVDQA, VMOVDQA and MOVNTI and the operand of a long NOP read,
 * and is silent about the stack. A proof does not rest on it: what is not here is refused. `first`
 * is what is done to the first operand if that is in memory; another one in memory is read.
 */
static const struct memory_rule {
    unsigned id;
    unsigned first;
    unsigned stack;
} RULES[] = {
    /* clang-format off */
    {X86_INS_ADC, R | W, 0},   {X86_INS_ADD, R | W, 0},  {X86_INS_AND, R | W, 0},
    {X86_INS_DEC, R | W, 0},   {X86_INS_INC, R | W, 0},  {X86_INS_NEG, R | W, 0},
    {X86_INS_NOT, R | W, 0},   {X86_INS_OR, R | W, 0},   {X86_INS_ROL, R | W, 0},
    {X86_INS_ROR, R | W, 0},   {X86_INS_SAR, R | W, 0},  {X86_INS_SBB, R | W, 0},
    {X86_INS_SHL, R | W, 0},   {X86_INS_SHR, R | W, 0},  {X86_INS_SUB, R | W, 0},
    {X86_INS_XADD, R | W, 0},  {X86_INS_XCHG, R | W, 0}, {X86_INS_XOR, R | W, 0},
    {X86_INS_CMP, R, 0},       {X86_INS_TEST, R, 0},     {X86_INS_IMUL, R, 0},
    {X86_INS_MUL, R, 0},       {X86_INS_DIV, R, 0},
    {X86_INS_MOV, W, 0},       {X86_INS_MOVABS, W, 0},   {X86_INS_MOVZX, W, 0},
    {X86_INS_MOVSX, W, 0},     {X86_INS_MOVSXD, W, 0},
    {X86_INS_CMOVA, W, 0},     {X86_INS_CMOVAE, W, 0},   {X86_INS_CMOVB, W, 0},
    {X86_INS_CMOVE, W, 0},     {X86_INS_CMOVNE, W, 0},
    {X86_INS_PUSH, R, W},      {X86_INS_POP, W, R},
    {X86_INS_CALL, R, W},      {X86_INS_RET, 0, R},      {X86_INS_JMP, R, 0},
    {X86_INS_MOVSB, W, 0},     {X86_INS_MOVSW, W, 0},    {X86_INS_MOVSQ, W, 0},
    {X86_INS_STOSB, W, 0},     {X86_INS_STOSW, W, 0},    {X86_INS_STOSD, W, 0},
    {X86_INS_STOSQ, W, 0},
    {X86_INS_MOVDQA, W, 0},    {X86_INS_MOVDQU, W, 0},   {X86_INS_MOVNTI, W, 0},
    {X86_INS_PXOR, 0, 0},      {X86_INS_PCMPEQB, 0, 0},  {X86_INS_PMOVMSKB, 0, 0},
    {X86_INS_VMOVDQA, W, 0},   {X86_INS_VMOVDQU, W, 0},
    {X86_INS_VPXOR, 0, 0},     {X86_INS_VPCMPEQB, 0, 0}, {X86_INS_VPMOVMSKB, 0, 0},
    {X86_INS_VZEROUPPER, 0, 0},
    {X86_INS_LFENCE, 0, 0},    {X86_INS_MFENCE, 0, 0},   {X86_INS_SFENCE, 0, 0},
    {X86_INS_PAUSE, 0, 0},     {X86_INS_CLD, 0, 0},      {X86_INS_STD, 0, 0},
    /* clang-format on */
};

/* These have an operand in memory that they only compute with, or that retires no load. */
static const unsigned NO_ACCESS[] = {X86_INS_LEA,         X86_INS_NOP,        X86_INS_PREFETCH,
                                     X86_INS_PREFETCHNTA, X86_INS_PREFETCHT0, X86_INS_PREFETCHT1,
                                     X86_INS_PREFETCHT2,  X86_INS_PREFETCHW};

static csh decoder;
static cs_insn *scratch;

bool decode_open(void)
{
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &decoder) != CS_ERR_OK)
        return false;
    cs_option(decoder, CS_OPT_DETAIL, CS_OPT_ON);
    scratch = cs_malloc(decoder);
    return scratch != NULL;
}

void decode_close(void)
{
    cs_free(scratch, 1);
    cs_close(&decoder);
}

static bool set_memory(const cs_insn *instruction, struct effect *effect)
{
    const cs_x86 *x86 = &instruction->detail->x86;
    const struct memory_rule *rule = NULL;
    unsigned access;

    for (size_t i = 0; i < sizeof(NO_ACCESS) / sizeof(NO_ACCESS[0]); i++) {
        if (NO_ACCESS[i] == instruction->id)
            return true;
    }
    for (size_t i = 0; i < sizeof(RULES) / sizeof(RULES[0]) && rule == NULL; i++) {
        if (RULES[i].id == instruction->id)
            rule = &RULES[i];
    }
    if (rule == NULL)
        return effect->branch != BRANCH_NONE; /* a conditional branch has no memory operand */
    access = rule->stack;
    for (unsigned i = 0; i < x86->op_count; i++) {
        if (x86->operands[i].type == X86_OP_MEM)
            access |= i == 0 ? rule->first : R;
    }
    effect->loads = (access & R) != 0;
    effect->stores = (access & W) != 0;
    return true;
}

/* The opcode tells Jcc and its condition: 70h-7Fh, or 0Fh 80h-8Fh. */
static void set_branch(const cs_insn *instruction, struct effect *effect)
{
    const uint8_t *opcode = instruction->detail->x86.opcode;

    switch (instruction->id) {
    case X86_INS_JMP:
    case X86_INS_CALL:
        effect->branch = BRANCH_ALWAYS;
        break;
    case X86_INS_RET:
        effect->branch = BRANCH_ALWAYS;
        effect->returns = true;
        break;
    case X86_INS_LOOP:
        effect->branch = BRANCH_LOOP;
        break;
    case X86_INS_LOOPE:
        effect->branch = BRANCH_LOOPE;
        break;
    case X86_INS_LOOPNE:
        effect->branch = BRANCH_LOOPNE;
        break;
    case X86_INS_JRCXZ:
        effect->branch = BRANCH_IF_RCXZ;
        break;
    default:
        if ((opcode[0] & 0xf0) == 0x70 || (opcode[0] == 0x0f && (opcode[1] & 0xf0) == 0x80)) {
            effect->branch = BRANCH_IF;
            effect->condition = (opcode[0] == 0x0f ? opcode[1] : opcode[0]) & 0x0f;
        }
    }
}

void decode(const uint8_t *code, size_t bytes, struct effect *effect)
{
    const cs_x86 *x86;
    uint64_t address = 0;

    memset(effect, 0, sizeof(*effect));
    if (!cs_disasm_iter(decoder, &code, &bytes, &address, scratch)) {
        snprintf(effect->text, sizeof(effect->text), "undecodable bytes");
        return;
    }
    x86 = &scratch->detail->x86;
    snprintf(effect->text, sizeof(effect->text), "%s %.40s", scratch->mnemonic, scratch->op_str);
    set_branch(scratch, effect);
    effect->repeats = strncmp(scratch->mnemonic, "rep", 3) == 0;
    effect->known = set_memory(scratch, effect) && x86->prefix[3] != PREFIX_ADDRESS_SIZE;
}

/* Conditions come in pairs, the odd one the opposite of the even one before it. */
static bool condition_holds(uint8_t condition, uint64_t rflags)
{
    bool sign_differs = !(rflags & RFLAGS_SF) != !(rflags & RFLAGS_OF);
    const bool holds[8] = {
        (rflags & RFLAGS_OF) != 0,
        (rflags & RFLAGS_CF) != 0,
        (rflags & RFLAGS_ZF) != 0,
        (rflags & (RFLAGS_CF | RFLAGS_ZF)) != 0,
        (rflags & RFLAGS_SF) != 0,
        (rflags & RFLAGS_PF) != 0,
        sign_differs,
        sign_differs || (rflags & RFLAGS_ZF) != 0,
    };

    return holds[condition >> 1] != (condition & 1);
}

bool branch_is_taken(const struct effect *effect, uint64_t rflags, uint64_t rcx)
{
    bool zero = (rflags & RFLAGS_ZF) != 0;

    switch (effect->branch) {
    case BRANCH_ALWAYS:
        return true;
    case BRANCH_IF:
        return condition_holds(effect->condition, rflags);
    case BRANCH_LOOP:
        return rcx != 1;
    case BRANCH_LOOPE:
        return rcx != 1 && zero;
    case BRANCH_LOOPNE:
        return rcx != 1 && !zero;
    case BRANCH_IF_RCXZ:
        return rcx == 0;
    case BRANCH_NONE:
        break;
    }
    return false;
}
