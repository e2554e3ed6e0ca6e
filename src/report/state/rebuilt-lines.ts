import { joinSections, type Line, prose } from "../text/lines.ts";
import { formatCount } from "../words.ts";
import type { StateRebuilt } from "./state-told.ts";

const maxMissing = 20;

/** What a state that was lost could be rebuilt from, and what nobody can learn again. */
export function rebuiltLines(told: StateRebuilt): readonly Line[] {
  const { address, people, teams, memberships, prefixes, unlearned } = told;
  const parts = [
    formatCount(people, "person", "people"),
    formatCount(teams, "team"),
    formatCount(memberships, "membership"),
    formatCount(prefixes, "key prefix", "key prefixes"),
  ];
  return joinSections([
    [prose(0, `Rebuilt ${address} from what the service shows: ${parts.join(", ")}.`, "strong")],
    missingLines(told),
    [prose(0, "What could not be learned:"), ...unlearned.map((one) => prose(2, `- ${one}`))],
    [prose(0, "Next: read `roster plan` with care before anything is applied.", "dim")],
  ]);
}

function missingLines({ missing }: StateRebuilt): readonly Line[] {
  if (missing.length === 0) return [];
  const more = missing.length - maxMissing;
  return [
    prose(
      0,
      `${formatCount(missing.length, "person of the roster is", "people of the roster are")} not shown by the service. Nothing remembers ` +
        "whether they were there before, so that an apply creates whoever is proven absent: exclude whom that would be wrong for.",
      "alarm",
    ),
    ...missing.slice(0, maxMissing).map((email) => prose(2, `- ${email}`)),
    ...(more > 0 ? [prose(2, `- and ${more} more`)] : []),
  ];
}
