import { type TeamKey, teamKeyOf } from "../model/team.ts";
import type { ClassifiedTeam, TeamIdentity, UnprovenTeam } from "./team-identity.ts";

/** A team to which nothing leads but a former name, and the one that has this name now. */
interface ReassignedName {
  readonly former: TeamIdentity;
  readonly holder: TeamIdentity;
}

/**
 * Where a former name is all that leads to a team, and another team of the roster has that name now, it is in doubt which of the
 * two the service knows by it: neither is founded or added to until the roster gives an identifier.
 */
export function blockReassignedNames(judged: readonly ClassifiedTeam[]): readonly ClassifiedTeam[] {
  const byName = indexByName(judged);
  const doubts = new Map<TeamKey, ReassignedName>();
  for (const { identity: former } of judged) {
    const holder = former.is === "new" || former.is === "unproven" ? currentHolder(former, byName) : undefined;
    if (holder === undefined) continue;
    doubts.set(former.team.key, { former, holder });
    if (holder.is !== "withheld") doubts.set(holder.team.key, { former, holder });
  }
  return judged.map((one) => {
    const doubt = doubts.get(one.identity.team.key);
    return doubt === undefined ? one : { identity: teamInDoubt(one.identity, doubt), findings: [] };
  });
}

/** By account and folded name; twins share theirs. */
type TeamsByName = ReadonlyMap<TeamKey, readonly TeamIdentity[]>;

function indexByName(judged: readonly ClassifiedTeam[]): TeamsByName {
  const byName = new Map<TeamKey, TeamIdentity[]>();
  for (const { identity } of judged) {
    const name = teamKeyOf(identity.team.account, identity.team.name);
    const namesakes = byName.get(name);
    if (namesakes === undefined) byName.set(name, [identity]);
    else namesakes.push(identity);
  }
  return byName;
}

/** None where the name leads nowhere, or where the roster says by an identifier whose it is. */
function currentHolder({ team }: TeamIdentity, byName: TeamsByName): TeamIdentity | undefined {
  const named = team.previously.flatMap(({ value }) => byName.get(teamKeyOf(team.account, value)) ?? []);
  return named.find((one) => one.team.key !== team.key && mayBeAnother(one));
}

function mayBeAnother(identity: TeamIdentity): boolean {
  switch (identity.is) {
    case "known":
      return identity.ref.identifier.known !== "declared";
    case "unidentified":
    case "withheld":
      return true;
    case "new":
    case "unproven":
      return false;
  }
}

function teamInDoubt(
  { team, names, isTwin, recordKeys }: TeamIdentity,
  { former, holder }: ReassignedName,
): UnprovenTeam {
  const shown = holder.is === "known" ? `the team ${holder.identifier}` : "the team of that name";
  const why =
    `${former.team.name} was called ${holder.team.name} before, and another team of the roster has that name now, ` +
    `so that ${shown} may be either`;
  return { is: "unproven", team, names, isTwin, recordKeys, code: "ambiguous-team", why };
}
