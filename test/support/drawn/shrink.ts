import type { CompanyDraw } from "./company.ts";
import { calmer, type Draw } from "./draw.ts";

/** How often a failing draw is played again to make it smaller. */
const mostTries = 150;

/** A draw that fails as the given one does, and of which nothing can be left out without its passing. */
export async function smallest(draw: Draw, fails: (draw: Draw) => Promise<boolean>): Promise<Draw> {
  let best = draw;
  let tries = 0;
  for (let next = simpler(best); next.length > 0 && tries < mostTries; ) {
    const [candidate, ...others] = next;
    if (candidate === undefined) break;
    tries += 1;
    const isSimplest = await fails(candidate);
    if (isSimplest) best = candidate;
    next = isSimplest ? simpler(best) : others;
  }
  return best;
}

/** Draws that differ from one by one thing that is left out, the greatest first. */
function simpler(draw: Draw): readonly Draw[] {
  const { service, company, runs } = draw;
  return [
    ...calmer(service).map((smaller) => ({ ...draw, service: smaller })),
    ...companiesBelow(company).map((smaller) => ({ ...draw, company: smaller })),
    ...runs.flatMap((run, index) => {
      const calm = { ...run, parallelism: 1, pause: 0, wall: undefined, deadline: undefined };
      const isCalm = run.parallelism === 1 && run.pause === 0 && run.wall === undefined && run.deadline === undefined;
      return isCalm ? [] : [{ ...draw, runs: runs.with(index, calm) }];
    }),
  ];
}

function companiesBelow(company: CompanyDraw): readonly CompanyDraw[] {
  const { newPeople, therePeople, newTeams, oldTeam } = company;
  const without: readonly Partial<CompanyDraw>[] = [
    ...(oldTeam === undefined ? [] : [{ oldTeam: undefined }]),
    ...(company.ownKeyRoles === undefined ? [] : [{ ownKeyRoles: undefined }]),
    ...(company.hasLeaver ? [{ hasLeaver: false }] : []),
    ...(company.hasFormerAddress ? [{ hasFormerAddress: false }] : []),
    ...(company.hasCaller ? [{ hasCaller: false }] : []),
    ...(company.nearDuplicates === "off" ? [{ nearDuplicates: "on" as const }] : []),
    ...(company.hasProtected ? [{ hasProtected: false }] : []),
    ...(company.writesCapitals ? [{ writesCapitals: false }] : []),
    ...(newTeams.length > 0 ? newTeams.map((_, index) => ({ newTeams: newTeams.toSpliced(index, 1) })) : []),
    ...newTeams.flatMap((team, index) =>
      team.members.length === 0 ? [] : [{ newTeams: newTeams.with(index, { ...team, members: [] }) }],
    ),
    ...(newPeople > 4 ? [{ newPeople: newPeople - 1 }] : []),
    ...(therePeople > 1 ? [{ therePeople: therePeople - 1 }] : []),
  ];
  return without.map((part) => ({ ...company, ...part }));
}
