/* SPDX-License-Identifier: BSD-2-Clause */
/* Judges machine checks. */
#include "pmu/cpu/machine_check.h"
#include "pmu/cpu/msr.h"

uint64_t mc_new_error(uint64_t found, uint64_t status)
{
    if (!(status & MC_STATUS_VALID))
        return 0;
    return status & MC_STATUS_OVER || status != found ? status : 0;
}

/*
 * An error without EN did not raise the machine check. If RIPV is clear, the caller ends the run.
 * If EIPV is clear, an error with AR belongs to another CPU that shares the bank. If OVER is set,
 * an error was lost, and the lost error may be this CPU's.
 */
bool mc_is_fatal(uint64_t cap, uint64_t mcg_status, uint64_t error)
{
    const uint64_t raised = MC_STATUS_UC | MC_STATUS_EN;

    if ((error & raised) != raised)
        return false;
    if (error & MC_STATUS_PCC)
        return true;
    if (!(cap & MCG_CAP_SER_P))
        return error & MC_STATUS_OVER;
    return error & MC_STATUS_AR && (mcg_status & MCG_STATUS_EIPV || error & MC_STATUS_OVER);
}
