import fc from "fast-check";

/**
 * The ways of the second service, by what they do: in how lists, errors, roles and accounts look, the reference server differs as much.
 * The first plain value is the usual one. With plain values alone, reads and creations
 * show everything, and every write is done at once. A passing value delays, refuses or fails something for a while; runs that come later
 * reach the roster all the same. A hard value hides or refuses something for ever.
 */
const choices = {
  // How people, keys and teams look.
  identifiers: { plain: ["opaque", "numbers", "e-mails"] },
  identifierField: { plain: ["identifier", "id", "userIdentifier", "userId"] },
  addressField: { plain: ["email", "emailAddress", "username"] },
  addresses: { plain: ["kept", "lowered"] },
  statusWords: { plain: ["capitalised", "upper", "lower", "flag"], hard: ["hidden"] },
  statusOfNew: { plain: ["invited", "active"] },
  accountOnUsers: { plain: ["nested", "flat"], hard: ["hidden"] },
  teamsOnUsers: { plain: ["hidden", "shown"] },
  clock: { plain: ["right", "an-hour-slow"] },
  dateHeader: { plain: ["shown", "hidden"] },
  keysField: { plain: ["accessKeys", "listAccessKeys", "keys", "apiKeys"] },
  keyKinds: { plain: ["word"], hard: ["default-flag", "hidden"] },
  keyRoles: { plain: ["objects", "names"], hard: ["hidden"] },
  keyTeams: {
    plain: ["nested", "flat", "flat-id"],
    hard: ["nested-identifier", "nested-name", "flat-identifier", "flat-name", "other-word", "hidden"],
  },
  teamOfOwnKeys: { plain: ["absent", "null"] },
  projectKeys: { plain: ["none", "one-each"] },
  prefixes: { plain: ["alphanumeric", "encoded-in-paths"] },

  // Where and when they are shown.
  keysInLists: { plain: ["shown"], hard: ["hidden"] },
  keysInSearches: { plain: ["shown"], hard: ["hidden"] },
  keysInDetails: { plain: ["shown"], hard: ["hidden"] },
  keysInCreations: { plain: ["shown"], hard: ["hidden"] },
  listLag: { plain: [0], passing: [2_000, 30_000, 300_000, 1_800_000] },
  searchLag: { plain: [0], passing: [2_000, 30_000, 300_000, 1_800_000] },
  detailsLag: { plain: [0], passing: [2_000, 30_000, 300_000, 1_800_000] },
  keysLag: { plain: [0], passing: [2_000, 30_000, 300_000, 1_800_000] },
  writesKnowNewThings: { plain: ["at-once"], passing: ["after-2s"] },

  // Lists, searches and account details.
  pageCap: { plain: ["none", "clamped-to-3", "over-10-refused"] },
  order: { plain: ["oldest-first", "newest-first", "by-address"], hard: ["shuffled"] },
  movingRows: { plain: ["none"], hard: ["between-pages-of-3"] },
  searchShape: {
    plain: ["rows", "envelope", "map", "map-with-nulls", "positional", "found", "single", "not-found"],
  },
  searchMatch: { plain: ["folded", "part"], hard: ["exact"] },
  searchNames: { plain: ["address", "address-or-identifier"] },
  searchLimit: { plain: ["none"], hard: ["paged", "over-5-refused", "first-5"] },
  searches: { plain: ["sound"], hard: ["now-and-then-nobody", "nobody", "first-5-of-all"] },
  detailsUsers: { plain: ["rows", "envelope"], hard: ["addresses", "identifiers", "first-3", "hidden"] },

  // Creations.
  creationStatus: { plain: ["201", "200", "202"], hard: ["202-later", "204", "201-empty"] },
  creationShape: {
    plain: ["user", "array", "key", "user-and-key", "flat", "whole-key", "wrapped", "success"],
    hard: ["text", "acknowledged"],
  },
  flatPrefixField: {
    plain: ["accessKeyPrefix", "prefix", "apiKeyPrefix", "keyPrefix", "access_key_prefix"],
  },
  peopleInAnswers: { plain: ["whole", "identifier", "address"] },
  teamInCreations: {
    plain: ["nested", "flat", "flat-id"],
    hard: ["nested-identifier", "nested-name", "flat-identifier", "flat-name", "hidden"],
  },
  firstMemberKeys: { plain: ["team-key", "team-key-and-own"] },
  firstMemberAdministers: { plain: ["by-default", "always"] },
  teamRole: { plain: ["every-key", "team-keys", "no-key"] },
  names: { plain: ["kept", "trimmed"] },
  titles: { plain: ["kept"], hard: ["dropped"] },
  externalIdentifiers: { plain: ["kept"], hard: ["address"] },
  adminNamedBy: { plain: ["either"], hard: ["identifier", "address"] },
  conflict: { plain: ["409", "400", "422", "500", "200"] },
  conflictThoughCreated: { plain: [0], passing: [1, 2, 3] },
  hiddenHolder: { plain: [0], hard: [1, 3] },

  // Additions and replacements.
  additionStatus: { plain: ["200", "201", "202", "207", "204"], hard: ["202-later"] },
  additionShape: {
    plain: ["people", "team", "keys", "outcomes", "outcome-rows", "errors", "acknowledged", "empty"],
  },
  keysInAdditions: { plain: ["new", "singular", "all", "as-read"], hard: ["hidden"] },
  memberNamedBy: { plain: ["either", "identifier", "address"] },
  unknownMember: { plain: ["404", "400", "422"] },
  refusalNames: { plain: ["person", "nobody"] },
  refusedBatch: { plain: ["whole", "each"] },
  readded: { plain: ["mailed-again", "no-effect", "refused"] },
  replacementStatus: { plain: ["200", "204", "202"], hard: ["202-later"] },
  replacementShape: { plain: ["objects", "names", "wrapped", "key", "acknowledged"] },
  replacement: { plain: ["replaces"], hard: ["merges", "keeps-TEAM_ROLE", "needs-TEAM_ROLE"] },

  // Errors, and what goes wrong. Numbers count the writes from 1; 0 is never.
  refusals: { plain: ["by-status"], hard: ["200-no-success", "201-error"] },
  invalidStatus: { plain: ["400", "422"] },
  lostBeforeEffect: { plain: [0], passing: [1, 2, 4] },
  lostAfterEffect: { plain: [0], passing: [1, 2, 3, 5] },
  failedBeforeEffect: { plain: [0], passing: [1, 2, 4] },
  failedAfterEffect: { plain: [0], passing: [1, 2, 3, 5] },
  failureStatus: { plain: ["500", "502", "503", "504"] },
  crossedAnswer: { plain: [0], passing: [1, 2, 3, 5] },
  cachedAnswer: {
    plain: ["never"],
    passing: ["second-creation", "first-addition", "second-addition", "first-replacement", "second-replacement"],
  },
  otherKeyShown: { plain: ["never"], passing: ["first-creation", "first-addition", "second-addition"] },
  otherKey: { plain: ["in-use", "protected", "of-a-member"] },
  throttled: {
    plain: ["never"],
    passing: ["429", "503", "403", "429-after-effect", "503-after-effect", "403-after-effect"],
  },
  throttledWrites: { plain: ["second-and-third", "first", "every-third", "quarter"] },
  retryAfter: { plain: ["1", "30", "date", "absent"] },
  disturbedReads: { plain: ["never"], passing: ["throttled", "failed"] },
} as const satisfies Record<string, Choice>;

interface Choice {
  readonly plain: readonly [Value, ...Value[]];
  readonly passing?: readonly Value[];
  readonly hard?: readonly Value[];
}

type Value = string | number;
type Choices = typeof choices;
type ValueOf<Given> = Given extends Record<string, readonly (infer One)[]> ? One : never;
export type SecondWays = {
  readonly [Way in keyof Choices]: ValueOf<Choices[Way]>;
};

interface Way {
  readonly way: string;
  readonly usual: Value;
  readonly plain: readonly Value[];
  readonly passing: readonly Value[];
  /** The usual value first. */
  readonly values: readonly Value[];
}

const ways: readonly Way[] = Object.entries<Choice>(choices).map(([way, { plain, passing = [], hard = [] }]) => ({
  way,
  usual: plain[0],
  plain,
  passing,
  values: [...plain, ...passing, ...hard],
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

/** Whatever the service delays, refuses or fails is over in time. */
export function arePassing(drawn: SecondWays): boolean {
  const values = new Map<string, Value>(Object.entries(drawn));
  // Where no answer says what time it is, a call that does not show stays open for a person.
  if (drawn.dateHeader === "hidden" && !arePlain(drawn)) return false;
  return ways.every(({ way, plain, passing, usual }) => [...plain, ...passing].includes(values.get(way) ?? usual));
}

/** Ways that bring about together what each alone does not: where it matters that a list shifts, or whose a key is. */
const together: readonly Partial<SecondWays>[] = [
  { movingRows: "between-pages-of-3", detailsUsers: "hidden", teamOfOwnKeys: "null" },
  { movingRows: "between-pages-of-3", detailsUsers: "hidden", teamOfOwnKeys: "null" },
  { searches: "nobody", detailsUsers: "first-3" },
  { searches: "now-and-then-nobody", detailsUsers: "first-3" },
  { otherKeyShown: "first-creation", keysInSearches: "hidden", keysInLists: "hidden" },
  { otherKeyShown: "first-addition", keysInSearches: "hidden" },
  { otherKeyShown: "first-addition", otherKey: "of-a-member" },
  { cachedAnswer: "first-addition" },
  { cachedAnswer: "second-replacement", replacementShape: "key" },
];

/** At most three ways differ from the usual. */
export const fewWays: fc.Arbitrary<SecondWays> = fc.oneof(
  {
    weight: 1,
    arbitrary: fc
      .uniqueArray(
        fc
          .constantFrom(...ways.filter(({ values }) => values.length > 1))
          .chain(({ way, values }) => fc.constantFrom(...values.slice(1)).map((value) => ({ way, value }))),
        { minLength: 1, maxLength: 3, selector: ({ way }) => way },
      )
      .map((changed) => choose(({ way, usual }) => changed.find((change) => change.way === way)?.value ?? usual)),
  },
  { weight: 1, arbitrary: fc.constantFrom(...together).map((changed) => ({ ...usualWays, ...changed })) },
);

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
