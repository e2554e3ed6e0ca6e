import fc from "fast-check";

/**
 * The ways of the second service, by what they do. The first plain value is the usual one. With plain values alone, reads and creations
 * show everything, and every write is done at once. A hard value hides, delays, refuses or fails something.
 */
const choices = {
  // How people, keys and teams look.
  identifiers: { plain: ["opaque", "numbers", "e-mails"], hard: [] },
  identifierField: { plain: ["identifier", "id", "userIdentifier", "userId"], hard: [] },
  addressField: { plain: ["email", "emailAddress", "username"], hard: [] },
  addresses: { plain: ["kept", "lowered"], hard: [] },
  statusWords: { plain: ["capitalised", "upper", "lower", "flag"], hard: ["hidden"] },
  statusOfNew: { plain: ["invited", "active"], hard: [] },
  accountOnUsers: { plain: ["nested", "flat"], hard: ["hidden"] },
  teamsOnUsers: { plain: ["hidden", "shown"], hard: [] },
  extraFields: { plain: ["hidden", "shown"], hard: [] },
  createdAt: { plain: ["hidden", "utc", "offset", "no-zone"], hard: [] },
  clock: { plain: ["right", "an-hour-slow"], hard: [] },
  dateHeader: { plain: ["shown", "hidden"], hard: [] },
  keysField: { plain: ["accessKeys", "listAccessKeys", "keys", "apiKeys"], hard: [] },
  keyKinds: { plain: ["word"], hard: ["default-flag", "hidden"] },
  keyRoles: { plain: ["objects", "names"], hard: ["hidden"] },
  keyTeams: {
    plain: ["nested", "flat", "flat-id"],
    hard: ["nested-identifier", "nested-name", "flat-identifier", "flat-name", "other-word", "hidden"],
  },
  teamOfOwnKeys: { plain: ["absent", "null"], hard: [] },
  projectKeys: { plain: ["none", "one-each"], hard: [] },
  prefixes: { plain: ["alphanumeric", "encoded-in-paths"], hard: [] },

  // Where and when they are shown.
  keysInLists: { plain: ["shown"], hard: ["hidden"] },
  keysInSearches: { plain: ["shown"], hard: ["hidden"] },
  keysInDetails: { plain: ["shown"], hard: ["hidden"] },
  keysInCreations: { plain: ["shown"], hard: ["hidden"] },
  listLag: { plain: [0], hard: [2_000, 30_000, 300_000, 1_800_000] },
  searchLag: { plain: [0], hard: [2_000, 30_000, 300_000, 1_800_000] },
  detailsLag: { plain: [0], hard: [2_000, 30_000, 300_000, 1_800_000] },
  keysLag: { plain: [0], hard: [2_000, 30_000, 300_000, 1_800_000] },
  writesKnowNewThings: { plain: ["at-once"], hard: ["after-2s"] },

  // Lists, searches, account details and roles.
  envelope: {
    plain: ["none", "page", "paged-model", "data", "items", "results", "named", "scim", "hal", "success"],
    hard: [],
  },
  pagedRoutes: { plain: ["users", "every-list"], hard: [] },
  pageBase: { plain: ["zero-is-one", "zero", "one-refuses-zero", "one-empty-zero"], hard: [] },
  pageCap: { plain: ["none", "clamped-to-3", "clamped-to-10", "over-50-refused", "over-10-refused"], hard: [] },
  pastEnd: { plain: ["empty", "not-found", "last-page-again"], hard: [] },
  totals: { plain: ["hidden", "header", "body"], hard: [] },
  links: { plain: ["none", "right", "relative", "always", "same-page", "other-host"], hard: [] },
  order: { plain: ["oldest-first", "newest-first", "by-address"], hard: ["shuffled"] },
  unknownSort: { plain: ["ignored", "refused", "fails"], hard: [] },
  searchShape: {
    plain: ["rows", "envelope", "map", "map-with-nulls", "positional", "found", "single", "not-found"],
    hard: [],
  },
  searchMatch: { plain: ["folded", "part"], hard: ["exact"] },
  searchNames: { plain: ["address", "address-or-identifier"], hard: [] },
  searchLimit: { plain: ["none"], hard: ["paged", "over-5-refused", "first-5"] },
  detailsShape: { plain: ["plain", "array", "account", "data"], hard: [] },
  detailsUsers: { plain: ["rows", "envelope"], hard: ["addresses", "identifiers", "first-3", "hidden"] },
  rolesShape: { plain: ["objects", "names", "wrapped", "envelope"], hard: [] },
  openReads: { plain: ["none", "accounts-and-roles"], hard: [] },

  // Creations.
  creationStatus: { plain: ["201", "200", "202"], hard: ["202-later", "204", "201-empty"] },
  creationShape: {
    plain: ["user", "array", "key", "user-and-key", "flat", "whole-key", "wrapped", "success"],
    hard: ["text", "acknowledged"],
  },
  flatPrefixField: {
    plain: ["accessKeyPrefix", "prefix", "apiKeyPrefix", "keyPrefix", "access_key_prefix"],
    hard: [],
  },
  peopleInAnswers: { plain: ["whole", "identifier", "address"], hard: [] },
  teamInCreations: {
    plain: ["nested", "flat", "flat-id"],
    hard: ["nested-identifier", "nested-name", "flat-identifier", "flat-name", "hidden"],
  },
  founderKeys: { plain: ["team-key", "team-key-and-own"], hard: [] },
  founderAdministers: { plain: ["by-default", "always"], hard: [] },
  teamRole: { plain: ["every-key", "team-keys", "no-key"], hard: [] },
  names: { plain: ["kept", "trimmed"], hard: [] },
  titles: { plain: ["kept"], hard: ["dropped"] },
  externalIdentifiers: { plain: ["kept"], hard: ["address"] },
  adminNamedBy: { plain: ["either"], hard: ["identifier", "address"] },
  conflict: { plain: ["409", "400", "422", "500", "200"], hard: [] },
  conflictThoughCreated: { plain: [0], hard: [1, 2, 3] },
  hiddenHolder: { plain: [0], hard: [1, 3] },

  // Additions and replacements.
  additionStatus: { plain: ["200", "201", "202", "207", "204"], hard: ["202-later"] },
  additionShape: {
    plain: ["people", "team", "keys", "outcomes", "outcome-rows", "errors", "acknowledged", "empty"],
    hard: [],
  },
  keysInAdditions: { plain: ["new", "singular", "all", "as-read"], hard: ["hidden"] },
  memberNamedBy: { plain: ["either", "identifier", "address"], hard: [] },
  unknownMember: { plain: ["404", "400", "422"], hard: [] },
  refusalNames: { plain: ["person", "nobody"], hard: [] },
  refusedBatch: { plain: ["whole", "each"], hard: [] },
  readded: { plain: ["mailed-again", "no-effect", "refused"], hard: [] },
  replacementStatus: { plain: ["200", "204", "202"], hard: ["202-later"] },
  replacementShape: { plain: ["objects", "names", "wrapped", "key", "acknowledged"], hard: [] },
  replacement: { plain: ["replaces"], hard: ["merges", "keeps-TEAM_ROLE", "needs-TEAM_ROLE"] },

  // Errors, and what goes wrong. Numbers count the writes from 1; 0 is never.
  errors: {
    plain: ["modzy", "spring", "problem", "nested", "message", "scim", "html", "text", "empty"],
    hard: [],
  },
  refusals: { plain: ["by-status"], hard: ["200-no-success", "201-error"] },
  invalidStatus: { plain: ["400", "422"], hard: [] },
  lostBeforeEffect: { plain: [0], hard: [1, 2, 4] },
  lostAfterEffect: { plain: [0], hard: [1, 2, 3, 5] },
  failedBeforeEffect: { plain: [0], hard: [1, 2, 4] },
  failedAfterEffect: { plain: [0], hard: [1, 2, 3, 5] },
  failureStatus: { plain: ["500", "502", "503", "504"], hard: [] },
  crossedAnswer: { plain: [0], hard: [1, 2, 3, 5] },
  throttled: {
    plain: ["never"],
    hard: ["429", "503", "403", "429-after-effect", "503-after-effect", "403-after-effect"],
  },
  throttledWrites: { plain: ["second-and-third", "first", "every-third", "quarter"], hard: [] },
  retryAfter: { plain: ["1", "30", "date", "absent"], hard: [] },
  disturbedReads: { plain: ["never"], hard: ["throttled", "failed"] },
} as const satisfies Record<string, { readonly plain: readonly [Value, ...Value[]]; readonly hard: readonly Value[] }>;

type Value = string | number;
type Choices = typeof choices;
export type SecondWays = {
  readonly [Way in keyof Choices]: Choices[Way]["plain"][number] | Choices[Way]["hard"][number];
};

interface Way {
  readonly way: string;
  readonly usual: Value;
  readonly plain: readonly Value[];
  /** The usual value first. */
  readonly values: readonly Value[];
}

const ways: readonly Way[] = Object.entries(choices).map(([way, { plain, hard }]) => ({
  way,
  usual: plain[0],
  plain,
  values: [...plain, ...hard],
}));

function choose(pick: (way: Way) => Value): SecondWays {
  return Object.fromEntries(ways.map((way) => [way.way, pick(way)])) as SecondWays;
}

/** Each way with each of its values, for a test that must see them all. */
export const everyWay: readonly { readonly way: string; readonly value: Value }[] = ways.flatMap(({ way, values }) =>
  values.map((value) => ({ way, value })),
);

export const usualWays: SecondWays = choose(({ usual }) => usual);

/** The service shows everything, does each write at once and answers each request. */
export function arePlain(drawn: SecondWays): boolean {
  const values = new Map<string, Value>(Object.entries(drawn));
  return ways.every(({ way, plain, usual }) => plain.includes(values.get(way) ?? usual));
}

/** At most three ways differ from the usual. */
export const fewWays: fc.Arbitrary<SecondWays> = fc
  .uniqueArray(
    fc
      .constantFrom(...ways.filter(({ values }) => values.length > 1))
      .chain(({ way, values }) => fc.constantFrom(...values.slice(1)).map((value) => ({ way, value }))),
    { maxLength: 3, selector: ({ way }) => way },
  )
  .map((changed) => choose(({ way, usual }) => changed.find((change) => change.way === way)?.value ?? usual));

/** Every way is drawn. Hard values are drawn less often, or no service would let anything through. */
export const allWays: fc.Arbitrary<SecondWays> = fc
  .tuple(
    ...ways.map(({ way, plain, values }) =>
      drawnValue(plain, values.slice(plain.length)).map((value) => ({ way, value })),
    ),
  )
  .map((drawn) => {
    const values = new Map(drawn.map(({ way, value }) => [way, value]));
    return choose(({ way, usual }) => values.get(way) ?? usual);
  });

function drawnValue(plain: readonly Value[], hard: readonly Value[]): fc.Arbitrary<Value> {
  if (hard.length === 0) return fc.constantFrom(...plain);
  // A failing draw shrinks to the usual value of each way that it does not need.
  return fc.oneof(
    { withCrossShrink: true },
    { arbitrary: fc.constantFrom(...plain), weight: 3 },
    { arbitrary: fc.constantFrom(...hard), weight: 1 },
  );
}
