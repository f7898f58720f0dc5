# SPDX-License-Identifier: BSD-2-Clause
"""Compare a trust map with the errata that run.json names."""
import collections

from trust import kinds, maps

TOO_MANY = "too many"  # an effect: the counts may be too high, never too low
Erratum = collections.namedtuple("Erratum", "name source effect")


def known(told):
    """{(event, counter): Erratum} of what run.json says about a CPU.

    Images before the first that wrote the effect of an erratum give none.
    """
    return {kinds.place_of(slot): Erratum(*(slot[f"erratum_{field}"] for field in Erratum._fields))
            for slots in told.get("passes", ()) for slot in slots if "erratum_effect" in slot}


def _at_fault(pairs, errata):
    """The counters with wrong counts of an event that no erratum is about."""
    return {place[1] for place, pair in pairs.items()
            if place not in errata and any(point.error for point in pair.points)}


def _largest(pairs, error_of):
    """(the counters with an error, the point with the largest error)."""
    wrong = [(error_of(point), counter, point) for counter, pair in pairs.items()
             for point in pair.points if error_of(point) > 0]
    return list(dict.fromkeys(counter for _, counter, _ in wrong)), \
        max(wrong, key=lambda one: one[0], default=(0, "", None))[2]


def _verdict(effect, pairs):
    word, (counters, point) = "contradicted", _largest(pairs, lambda point: point.too_few)
    if effect != TOO_MANY or not point:
        word, (counters, point) = "confirmed", _largest(pairs, lambda point: point.error)
    if not point:
        return f"not seen on {', '.join(pairs)}"
    return f"{word} on {', '.join(counters)}: {maps.point_words(point)}"


def lines(one, told):
    """Yield what a map shows of each erratum of an event in it, counted without conditions."""
    errata, of_event = known(told), collections.defaultdict(dict)
    at_fault = _at_fault(one.pairs, errata)
    for (event, counter), pair in one.pairs.items():
        if (event, counter) in errata and not maps.CONDITION.search(event).group() and \
                pair.kind != kinds.UNKNOWN:
            of_event[errata[event, counter], event][counter] = pair
    for (erratum, event), pairs in of_event.items():
        judged = {counter: pair for counter, pair in pairs.items() if counter not in at_fault}
        said = _verdict(erratum.effect, judged) if judged else \
            f"not judged on {', '.join(pairs)}, which count other events wrongly, too"
        yield f"erratum {erratum.name} ({erratum.source}), {event}: {said}"
