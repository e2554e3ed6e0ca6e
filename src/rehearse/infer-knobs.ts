import type { Capabilities } from "../model/capabilities.ts";
import { factValue } from "../model/fact.ts";
import { rolesWithout } from "../model/role-set.ts";
import type { ObservedKey, Snapshot } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import { shownTeams } from "../model/team.ts";
import { teamRole } from "../reference-server/entities.ts";
import type { Knobs } from "../reference-server/knobs/registry.ts";
import type { KnownService } from "./seed-world.ts";

/** The knobs by which the reference service answers as the service was seen to. What no read could tell is as usual. */
export function inferKnobs({ snapshot, state }: KnownService): Partial<Knobs> {
  const keys = snapshot.users.flatMap((user) => user.keys ?? []);
  const known = knownCapabilities(snapshot, state);
  const { paging, totals } = known;
  return {
    pageBase: pageBases[paging.firstPage],
    ...(paging.largestPage === undefined ? {} : { maxPerPage: paging.largestPage }),
    total: totals === "hidden" ? "none" : "both",
    showKeys: known.keysOnUsers === "hidden" ? "none" : "accessKeys",
    showKeyRoles: known.rolesOnKeys === "hidden" ? "none" : "objects",
    showKeyKinds: keys.length > 0 && keys.every(({ kind }) => kind === undefined) ? "none" : "kind",
    showTeams: showTeams(keys, known),
    showTitles: known.titles === "hidden" ? "no" : "yes",
    accountDetails: accountDetails(snapshot),
    roleList: (factValue(snapshot.roles) ?? []).every(({ name, type }) => name === undefined && type === undefined)
      ? "R2"
      : "R1",
    putRoles: putRoles(state),
  };
}

const pageBases = {
  "0": "zero",
  "1": "one-empty",
  "0-and-1-alike": "one-alias",
  unknown: "one-alias",
} as const;

/** Where nobody was shown who could tell, an earlier run may know. */
function knownCapabilities({ capabilities }: Snapshot, { capabilities: recorded }: State): Capabilities {
  const earlier = recorded?.learned;
  if (earlier === undefined) return capabilities;
  const { keysOnUsers, rolesOnKeys, teamsOnKeys, titles, totals, paging } = capabilities;
  return {
    keysOnUsers: keysOnUsers === "unknown" ? earlier.keysOnUsers : keysOnUsers,
    rolesOnKeys: rolesOnKeys === "unknown" ? earlier.rolesOnKeys : rolesOnKeys,
    teamsOnKeys: teamsOnKeys === "unknown" ? earlier.teamsOnKeys : teamsOnKeys,
    titles: titles === "unknown" ? earlier.titles : titles,
    totals: totals === "unknown" ? earlier.totals : totals,
    paging: paging.firstPage === "unknown" ? earlier.paging : paging,
  };
}

/** Where no key that is read shows its team, the answer that founds a team is taken to show it all the same. */
function showTeams(keys: readonly ObservedKey[], { teamsOnKeys }: Capabilities): Knobs["showTeams"] {
  const shown = shownTeams(keys);
  const saysNone = keys.some(({ team }) => team === "none");
  if (shown.length === 0) return teamsOnKeys === "hidden" && !saysNone ? "created-only" : "full";
  if (shown.every(({ name }) => name === undefined)) return "identifier";
  return shown.every(({ identifier }) => identifier === undefined) ? "name" : "full";
}

function accountDetails({ accounts }: Snapshot): Knobs["accountDetails"] {
  const details = [...accounts.values()];
  if (details.length > 0 && details.every(({ members }) => members === undefined)) return "no-users";
  if (details.some(({ membersCut }) => membersCut === true)) return "A3-truncated";
  const named = details.filter(({ members = [] }) => members.length > 0);
  return named.length > 0 && named.every(({ memberStatuses }) => memberStatuses === undefined) ? "A2" : "A1";
}

/** What earlier replacements left on their keys. */
function putRoles({ keys }: State): Knobs["putRoles"] {
  const kept = [...keys.values()].flatMap(({ put, readAs }) =>
    readAs === undefined ? [] : [rolesWithout(readAs, put)],
  );
  if (kept.some((roles) => roles.some((role) => role !== teamRole))) return "merge";
  return kept.some((roles) => roles.length > 0) ? "keep-TEAM_ROLE" : "replace";
}
