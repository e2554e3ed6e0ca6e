import { formatAllowance, type Policy } from "../../model/policy.ts";

/** What a person has said for one plan alone, as the flags that say it. */
export function formatPolicyFlags(policy: Policy): readonly string[] {
  const {
    include,
    exclude,
    absentFoundings = [],
    assumeAbsentTeams,
    assumeAbsentMembers,
    recreate,
    released,
    allowed,
  } = policy;
  const teams = assumeAbsentTeams === "all" ? ["teams"] : assumeAbsentTeams.map((name) => `team:${name}`);
  const foundings = absentFoundings.map(({ team, call }) => `team:${team}@${call}`);
  const members =
    assumeAbsentMembers === "all"
      ? ["members"]
      : assumeAbsentMembers.map(({ team, address }) => `member:${team}/${address}`);
  return [
    ...include.map(({ written }) => `--include ${written}`),
    ...exclude.map(({ written }) => `--exclude ${written}`),
    ...[...teams, ...foundings, ...members].map((what) => `--assume-absent ${what}`),
    ...recreate.map((address) => `--recreate ${address}`),
    ...released.map((address) => `--release ${address}`),
    ...(policy.retryRefused ? ["--retry-refused"] : []),
    ...allowed.map((allowance) => `--allow ${formatAllowance(allowance)}`),
  ];
}
