import { defaultKnobs, type Knobs } from "../../../src/reference-server/knobs/registry.ts";

/** Ways that hide nothing and disturb nothing: whoever differs from the usual by these alone is reached in one run. */
export const harmless: Readonly<Record<string, "any" | readonly string[]>> = {
  pageBase: ["one-alias", "one-strict", "one-empty", "zero"],
  maxPerPage: "any",
  overMaxPerPage: ["clamp", "ignore"],
  pastEnd: "any",
  order: ["stable", "shuffle-ties"],
  sortable: "any",
  sortUnknown: "any",
  envelope: ["L1", "L2", "L3", "L4", "L5", "L6", "L7", "L8", "L9", "L10"],
  link: "any",
  total: ["body", "header", "both", "none"],
  showKeys: ["accessKeys", "listAccessKeys"],
  showKeyRoles: ["objects", "names"],
  showKeyKinds: ["kind", "keyType"],
  fields: "any",
  showTitles: "any",
  userWords: "any",
  identifiers: "any",
  statusCase: "any",
  times: "any",
  oddities: ["none", "extra-fields", "nulls"],
  accountDetails: "any",
  roleList: "any",
  search: "any",
  create: ["C1", "C2", "C3", "C5", "C6", "C7", "C11"],
  createStatus: "any",
  membersStatus: "any",
  putRolesStatus: "any",
  showTeams: ["full", "flat"],
  memberIdentifiers: "any",
  members: ["M1", "M2", "M3", "M3-201", "M4", "M4-list", "M5", "M5-201", "M6"],
  putRolesAnswer: ["roles", "key", "empty"],
  error: "any",
  searchMatch: "any",
  match: ["ci"],
  emailCase: "any",
  externalId: "any",
  texts: "any",
  conflict: ["409", "400", "422", "500", "200", "second-user"],
  deleted: "any",
  firstMemberRoles: "any",
  putRoles: ["replace", "keep-TEAM_ROLE", "reject-without-TEAM_ROLE"],
  roleKinds: "any",
  readd: "any",
  authOnAccounts: "any",
  readers: "any",
  basePath: "any",
  keyLagStatus: "any",
  flakyStatus: "any",
  retryAfter: "any",
  retryAfterSeconds: "any",
  dropResponseAs: "any",
  redirectStatus: "any",
  redirectTo: "any",
};

/** Ways that delay, refuse or fail something for a while: runs that come later reach the roster all the same. */
export const passing: Readonly<Record<string, "any" | readonly string[]>> = {
  conflict: ["409-though-created"],
  searchLagMs: "any",
  listLagMs: "any",
  detailLagMs: "any",
  shownKeyLagMs: "any",
  keyLagMs: "any",
  teamLagMs: "any",
  memberLagMs: "any",
  flaky: "any",
  throttleAfterEffect: "any",
  crossedAnswer: "any",
  dropResponse: "any",
  hang: "any",
  hangBody: "any",
  reset: "any",
  html200: "any",
  redirect: "any",
};

export function showsEverything(knobs: Partial<Knobs>): boolean {
  return areAmong([harmless], knobs);
}

/** Whatever is delayed, refused or failed is over in time. What hits every third write for ever may hit one write of each of five runs. */
export function showsEverythingInTime(knobs: Partial<Knobs>): boolean {
  return (
    areAmong([harmless, passing], knobs) &&
    !Object.values(knobs).some((value) => String(value).includes("writes@every"))
  );
}

function areAmong(tables: readonly (typeof harmless)[], knobs: Partial<Knobs>): boolean {
  const usual: Readonly<Record<string, unknown>> = defaultKnobs;
  return Object.entries(knobs).every(([name, value]) => {
    const isAllowed = ({ [name]: allowed = [] }: typeof harmless) =>
      allowed === "any" || allowed.includes(String(value));
    return String(usual[name]) === String(value) || tables.some(isAllowed);
  });
}
