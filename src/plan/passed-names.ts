import { type TeamKey, teamKeyOf } from "../model/names.ts";
import type { JudgedTeam, TeamIdentity, UnprovenTeam } from "./team-identity.ts";

/** A team to which nothing leads but a former name, and the one that has this name now. */
interface Doubt {
  readonly former: TeamIdentity;
  readonly holder: TeamIdentity;
}

/**
 * Where a former name is all that leads to a team, and another team of the roster has that name now, it is in doubt which of the
 * two the service knows by it: neither is founded or added to until the roster gives an identifier.
 */
export function holdPassedNames(judged: readonly JudgedTeam[]): readonly JudgedTeam[] {
  const doubts = new Map<TeamKey, Doubt>();
  for (const { identity: former } of judged) {
    const holder = former.is === "new" || former.is === "unproven" ? holderOf(former, judged) : undefined;
    if (holder === undefined) continue;
    doubts.set(former.team.key, { former, holder });
    if (holder.is !== "withheld") doubts.set(holder.team.key, { former, holder });
  }
  return judged.map((one) => {
    const doubt = doubts.get(one.identity.team.key);
    return doubt === undefined ? one : { identity: inDoubt(one.identity, doubt), findings: [] };
  });
}

/** None where the name leads nowhere, or where the roster says by an identifier whose it is. */
function holderOf({ team }: TeamIdentity, judged: readonly JudgedTeam[]): TeamIdentity | undefined {
  const names = new Set(team.previously.map(({ value }) => teamKeyOf(team.account, value)));
  const holders = judged.map(({ identity }) => identity).filter((one) => one.team.key !== team.key);
  return holders.find((one) => names.has(teamKeyOf(one.team.account, one.team.name)) && mayBeAnother(one));
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

function inDoubt({ team, names, isTwin, recordKeys }: TeamIdentity, { former, holder }: Doubt): UnprovenTeam {
  const shown = holder.is === "known" ? `the team ${holder.identifier}` : "the team of that name";
  const why =
    `${former.team.name} was called ${holder.team.name} before, and another team of the roster has that name now, ` +
    `so that ${shown} may be either`;
  return { is: "unproven", team, names, isTwin, recordKeys, code: "ambiguous-team", why };
}
