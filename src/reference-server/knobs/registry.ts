import type { FaultTrigger } from "../fault-triggers.ts";

/** One thing that the service's documentation leaves open, as a choice for the person who starts the server. */
export type Knob = ReturnType<typeof choice<string>> | ReturnType<typeof count> | ReturnType<typeof triggers>;

export type KnobValue = Knob["otherwise"];

/** `about`: what is chosen, in one sentence. `values`: each value with what it does. */
function choice<Value extends string>(
  about: string,
  otherwise: NoInfer<Value>,
  values: Readonly<Record<Value, string>>,
) {
  return { is: "choice", about, otherwise, values } as const;
}

/** `least`: the smallest number that makes sense. */
function count(about: string, otherwise: number, least = 0) {
  return { is: "count", about, otherwise, least } as const;
}

function triggers(about: string) {
  const otherwise: readonly FaultTrigger[] = [];
  return { is: "occasions", about, otherwise } as const;
}

const envelope = choice("The envelope of a list of accounts, users or roles.", "L1", {
  L1: "nothing: a bare array; its paging is in the Link header",
  L2: "Spring's Page: content, number (from 0), size, numberOfElements, totalElements, totalPages, first, last",
  L3: "Spring's PagedModel: content, page{size, number, totalElements, totalPages}",
  L4: "data, meta{page, per_page, total}, links{next}",
  L5: "items, total",
  L6: "count, next, previous, results",
  L7: "start, limit, length, total and the rows under the list's own name",
  L8: "totalResults, startIndex, itemsPerPage, Resources",
  L9: "_embedded with the rows under the list's own name, _links{next{href}}, page",
  L10: "success, data{items}, error",
  named: "the rows under the list's own name and nothing else; its paging is in the Link header",
  unknown: "payload{rows}, an unknown envelope",
});

/** Every knob by its name. A new knob is one row. */
const registry = {
  // Lists: paging, order, envelopes, links, totals.
  pageBase: choice("The number of the first page of a list.", "one-alias", {
    "one-alias": "1, and page 0 is answered as page 1",
    "one-strict": "1, and page 0 is refused with 400",
    "one-empty": "1, and page 0 is answered without rows",
    zero: "0",
    ignored: "every request gets the first page",
  }),
  maxPerPage: count("The largest number of rows on a page; see `overMaxPerPage` for larger requests.", 1000, 1),
  overMaxPerPage: choice("How a `per-page` over `maxPerPage` is handled.", "clamp", {
    clamp: "the largest page is used",
    reject: "it is refused with 400",
    ignore: "it is ignored: 10 rows",
  }),
  pastEnd: choice("The answer for a page after the last one.", "empty", {
    empty: "200 without rows",
    "404": "a refusal with 404",
    "400": "a refusal with 400",
    "last-again": "the last page again",
  }),
  emptyPage: count(
    "The page of a list that is empty although more pages follow. The first page is 1; 0 means no such page.",
    0,
  ),
  repeatedRows: count("How many rows of the previous page a page repeats at its start.", 0),
  repeatedAs: choice("How the `repeatedRows` look when they are repeated.", "same", {
    same: "as before",
    "upper-case": "with the address of a user in capital letters",
  }),
  order: choice("The order of rows that are equal for `sort-by`.", "stable", {
    stable: "the order of their creation",
    "shuffle-ties": "another order in each request; without `sort-by`, all rows are equal",
    shuffle: "all rows in another order in each request; `sort-by` is ignored",
  }),
  sortable: choice("The fields that `sort-by` knows.", "all", {
    all: "every field that the route describes",
    none: "no field; every name is unknown",
  }),
  sortUnknown: choice("How a `sort-by` with an unknown field is handled.", "400", {
    "400": "the request is refused with 400",
    "500": "the request fails with 500",
    ignore: "the name is ignored",
  }),
  envelope,
  laterEnvelope: choice("The envelope of the later pages of a list.", "same", {
    same: "as the first",
    ...envelope.values,
  }),
  link: choice("The address of the next page, in the `Link` header or in the body.", "ok", {
    ok: "the right one, with the first, the previous and the last page",
    none: "none",
    always: "the right one, and one on the last page too",
    "self-next": "the address of this page",
    "zero-next": "the address of page 0",
    "http-inner-host": "one at http://inner:8080, as behind a proxy",
    relative: "a path without host",
    "drops-query": "the right one without any other parameter of the query",
    "evil-host": "one at another origin, which is this server under its other name; see the request log",
  }),
  total: choice("Where a list shows its total number of rows, and if the number is right.", "body", {
    body: "where its envelope has a field for it; a bare array has no total",
    header: "only in the header X-Total-Count",
    both: "in the header and in the body",
    none: "nowhere",
    "wrong-high": "in both, and it is 7 too many",
    "wrong-low": "in both, and it is half of them",
  }),
  // What users, keys, teams and roles show of themselves.
  showKeys: choice("The field with the access keys of a user.", "accessKeys", {
    accessKeys: "accessKeys",
    listAccessKeys: "listAccessKeys",
    none: "they are not shown",
  }),
  showKeyRoles: choice("How a key shows its roles.", "objects", {
    objects: "as objects with their identifier",
    names: "as bare identifiers",
    null: "roles is null",
    none: "not at all",
  }),
  showKeyKinds: choice("How a key shows its kind: of a user, a team or a project.", "kind", {
    kind: "as kind, and isDefault for a user's own",
    keyType: "as keyType, and isDefault for a user's own",
    "user-or-system": "as keyType: system for a project key, user for every other key; isDefault is true for user",
    none: "not at all",
  }),
  showTeams: choice("How a key, and the answer to a new user with a team, shows the team.", "full", {
    full: "as an object with identifier and name, null for a key without a team",
    identifier: "as an object with its identifier",
    name: "as an object with its name",
    text: "as its bare identifier",
    flat: "in teamIdentifier and teamName; both are null for a key without a team",
    teamId: "only in the field teamId, null for a key without a team",
    teamName: "only in the field teamName, null for a key without a team",
    "created-only": "as an object with identifier and name, only when a user is created or added",
    none: "not at all",
  }),
  fields: choice("Further fields of users, keys and roles.", "none", {
    none: "none",
    public: "those that the public pages of such a service show, such as account, visited, name, labels and weight",
  }),
  showTitles: choice("If users show their title.", "yes", {
    yes: "yes",
    no: "no",
  }),
  userWords: choice("The field names for the identifier, email and status of a user.", "plain", {
    plain: "identifier, email, status",
    short: "id, emailAddress, state",
    long: "userIdentifier, username, active (true or false)",
  }),
  identifiers: choice("The identifiers of new users and teams. Valid from the start.", "words", {
    words: "a word and a number, such as u-12",
    numbers: "whole numbers, shown as JSON numbers",
  }),
  statusCase: choice("The letter case of a status.", "capitalised", {
    capitalised: "Active",
    lower: "active",
    upper: "ACTIVE",
  }),
  times: choice("How users show their creation, change and last use.", "hidden", {
    hidden: "not at all",
    z: "2026-01-02T03:04:05.000Z",
    offset: "2026-01-02T03:04:05.000+00:00",
    "basic-offset": "2026-01-02T03:04:05.000+0000",
    mixed: "createdAt with +0000, updatedAt with +00:00, lastActiveDateTime null",
    epoch: "milliseconds since 1970 as a number",
  }),
  oddities: choice("Other unusual things about users.", "none", {
    none: "nothing",
    "extra-fields": "they have unknown fields, one with the name __proto__",
    nulls: "their status, source and title are null",
    "missing-keys": "users without keys have no list of keys",
  }),
  // The shapes of answers.
  accountDetails: choice("The answer with the details of an account.", "A1", {
    A1: "identifier, name, status, users[objects]",
    A2: "as A1, with the addresses of users in place of objects",
    "A2-identifiers": "as A1, with the identifiers of users in place of objects",
    A3: "as A1, with the users as a Spring page (content, totalElements and so on)",
    "A3-truncated": "as A1, with userCount and only the first ten users",
    A4: "a list of one: the details as in A1",
    A5: "account{details as in A1}",
    "A5-data": "data{details as in A1}",
    "no-users": "identifier, name, status",
  }),
  roleList: choice("What the list of roles contains.", "R1", {
    R1: "objects with identifier, name, description and type, in the list's envelope",
    R2: "bare identifiers, in the list's envelope",
    R3: "an object roles[…] with the same objects, without the envelope of lists",
  }),
  search: choice("How a search returns the users it found.", "S1", {
    S1: "a bare array of users",
    S2: "in the envelope of lists",
    S3: "a map from each search text to its user, or to null",
    S4: "an array with an entry for each search text, in order: the user, or null",
    S5: "a bare array, and 404 if no user was found",
    S6: "found[users], notFound[texts]",
    S7: "one found user as an object, else a bare array",
  }),
  create: choice("The answer to a new user; see `createStatus` for its status.", "C1", {
    C1: "the user with accessKeys[the new key], and the new team if there is one",
    C2: "the new key with user{} and account{}",
    C3: "as C1 with listAccessKeys for accessKeys",
    C4: "user{identifier, email}, accessKey{prefix}",
    C5: "identifier, email, accessKeyPrefix",
    C6: "user{}, apiKey with the whole key, its secret included",
    C7: "data{user{}, accessKeys[the new key]}",
    C8: "no body; Location leads to the user",
    C9: "always 202: status PENDING, with Location and Retry-After",
    C10: "as C1 with a second key: a first member also gets their own key, other users a project key",
    "C10-ambiguous": "as C10, and the two keys look the same",
    C11: "as C1; if the user exists already, 200 with that user (`conflict` is ignored)",
    C12: "the prefix as plain text",
  }),
  createStatus: choice("The status of the answer when a user was created.", "201", {
    "200": "200",
    "201": "201",
    "202": "202, although the user exists at once",
  }),
  members: choice("The answer to new members, and how a batch with a bad entry is handled.", "M1", {
    M1: "200, an array of members with their new keys; one bad entry refuses the batch, with 404 or 409",
    M2: "200, the team with identifier, name, members[identifier, email]; a batch as in M1",
    M3: "204 without a body; a batch as in M1",
    "M3-201": "201 without a body; a batch as in M1",
    M4: "207, successes[members], failures[identifier, status, detail]",
    "M4-list": "207, an array with identifier, status and message of each entry",
    M5: "200, members[], and errors[] for the bad entries",
    "M5-201": "201, status success, or status error with message{identifier: problems}; the others are added",
    M6: "as M1, and a batch with a bad entry is refused with 400",
    M7: "always 202: status QUEUED; a batch as in M1",
  }),
  membersStatus: choice("The status of the answer when all members were added.", "own", {
    own: "the status that `members` describes",
    "200": "200",
    "201": "201",
    "204": "204 without a body",
  }),
  putRolesAnswer: choice("The answer to a change of roles.", "roles", {
    roles: "200, an array of the new roles of the key",
    key: "200, the key",
    empty: "204 without a body",
    accepted: "always 202: status ACCEPTED",
  }),
  putRolesStatus: choice("The status of the answer to a change of roles.", "own", {
    own: "the status that `putRolesAnswer` describes",
    "200": "200",
    "204": "204 without a body",
  }),
  error: choice("The body of a refusal.", "X1", {
    X1: "statusCode, status, message, reportErrorUrl",
    X2: "Spring's timestamp, status, error, message (empty), path",
    X3: "application/problem+json: type, title, status, detail, errors",
    X4: "error{code, message}",
    X5: "errorMessage",
    X6: "SCIM's schemas, scimType, status (as text), detail",
    X7: "a page of HTML",
    X8: "empty",
    X9: "plain text",
    X10: "success false, data null, error{code, message}",
  }),
  errorStatus: choice("The HTTP status of a refusal.", "own", {
    own: "the status of each refusal, such as 404",
    "200": "200; only the body shows the refusal",
  }),
  // Rules of the world.
  searchMatch: choice("Which users a search finds.", "exact", {
    exact: "users whose identifier or address is the search text",
    external: "also users with that external identifier",
    fuzzy: "every user whose address or identifier contains the text",
  }),
  searchPages: choice("How many results one search request returns.", "whole", {
    whole: "all users, or one page if the query has page parameters",
    paged: "a page, as of a list (S1 and S2)",
    "first-ten": "always the first ten, without a sign that there are more",
  }),
  searchMaxIdentifiers: count("How many texts of one search are used, 0 for all; see `searchOverMax` for more.", 0),
  searchOverMax: choice("How a search with too many texts is handled.", "drop", {
    drop: "the other texts are ignored silently",
    reject: "it is refused with 400",
  }),
  match: choice("When two addresses are the same.", "ci", {
    ci: "upper and lower case do not matter",
    exact: "upper and lower case matter, so two users may differ only in case",
  }),
  emailCase: choice("The letter case of a stored address.", "preserve", {
    preserve: "as it was sent",
    lower: "in lower case",
  }),
  externalId: choice("The external identifier of a new user.", "keep", {
    keep: "the one from the request, if any",
    email: "always the address",
  }),
  texts: choice("How the names and the title of a new user are stored.", "keep", {
    keep: "as they were sent",
    trim: "without white space around them; an empty title is removed",
    "drop-title": "names are stored, the title is not",
  }),
  maxTitle: count("The longest title of a new user, 0 for no limit; a longer one is refused with 400.", 0),
  conflict: choice("The answer to a new user with an address that is in use.", "409", {
    "409": "409",
    "400": "400",
    "422": "422",
    "500": "500, as when a unique constraint is violated",
    "200": "200 with the existing user",
    "second-user": "a second user is created with the same address",
    "409-though-created": "409; also for a free address, although the user is created",
  }),
  deleted: choice("How a user with the status Deleted is handled.", "visible", {
    visible: "shown like other users; the address is in use",
    "hidden-but-blocks": "hidden in lists, searches and accounts; the address is in use",
    reusable: "hidden in lists, searches and accounts; the address is free",
  }),
  firstMemberRoles: choice("The roles of a first member's key before `accessKeyRoles` are added.", "TEAM_ROLE", {
    TEAM_ROLE: "TEAM_ROLE; without `accessKeyRoles` also ACCOUNT_ADMIN",
    "ACCOUNT_ADMIN+TEAM_ROLE": "ACCOUNT_ADMIN and TEAM_ROLE",
  }),
  putRoles: choice("The roles of a key after a change of roles.", "replace", {
    replace: "the roles that were sent",
    "keep-TEAM_ROLE": "the roles that were sent, and TEAM_ROLE",
    merge: "the roles that were sent, and all former roles",
    "reject-without-TEAM_ROLE": "the roles that were sent; a list without TEAM_ROLE is refused with 400",
  }),
  roleKinds: choice("If roles must fit the kind of the key.", "free", {
    free: "every key may have every role",
    strict: "PROJECT is only for project keys, and their only role; a team key cannot have a role of type system",
  }),
  memberIdentifiers: choice("How a call names a new member.", "both", {
    both: "identifier or address",
    identifier: "only the identifier",
    email: "only the address",
  }),
  readd: choice("How adding an existing member is handled.", "409", {
    "409": "it is refused with 409",
    noop: "nothing changes; the answer looks like success, with the existing key",
    reinvite: "as noop, and the invitation is sent again",
    remove: "the member is removed",
  }),
  credentialScope: choice("Which users the list shows to an administrator.", "all", {
    all: "all of the account, or of every account",
    team: "only users in a team with the administrator; a search finds all users",
  }),
  authOnAccounts: choice("If the lists of accounts and roles need a key.", "required", {
    required: "yes",
    "not-required": "no; but a key that is sent is checked",
  }),
  readers: choice("Whose keys may read.", "administrators", {
    administrators: "only those of administrators",
    all: "every active key, within its account; only administrators may write",
  }),
  // How long something new is not yet there.
  searchLagMs: count("For how many milliseconds a search does not find a new user or a new key.", 0),
  listLagMs: count("For how many milliseconds the list does not show a new user or a new key.", 0),
  detailLagMs: count("For how many milliseconds the details of the account do not show a new user.", 0),
  shownKeyLagMs: count("For how many milliseconds lists and searches do not show a new key or new roles.", 0),
  keyLagMs: count("For how many milliseconds the roles of a new key cannot be changed; see `keyLagStatus`.", 0),
  keyLagStatus: choice("The refusal for a key that cannot be changed yet (`keyLagMs`).", "404", {
    "404": "404",
    "400": "400",
  }),
  teamLagMs: count("For how many milliseconds a new team refuses members with 404.", 0),
  memberLagMs: count("For how many milliseconds a new user cannot be added to a team: 404.", 0),
  // What befalls requests and answers on their way.
  basePath: choice("The path of the routes.", "root", {
    root: "/api/accounting/…",
    modzy: "/modzy/api/accounting/…, and nowhere else",
  }),
  maxBodyBytes: count("The largest request body in bytes; a larger one is refused with 413.", 1024 * 1024),
  latencyMs: count("The delay of every answer in milliseconds.", 0),
  flaky: triggers("Which requests are refused before they take effect; see `flakyStatus` and `retryAfter`."),
  throttleAfterEffect: triggers(
    "Which requests take effect but are refused as too many. The status is `flakyStatus` if it is 429, 403 or 503, else 429, always with Retry-After.",
  ),
  flakyStatus: choice("The status of a refusal by `flaky`.", "503", {
    "503": "503",
    "429": "429",
    "403": "403, with a message of a rate limit",
    "401": "401, as for a key that was disabled",
    "400": "400, as from a service that is not ready",
    "408": "408",
    "500": "500",
    "502": "502",
    "504": "504",
  }),
  retryAfter: choice("The Retry-After header of a refusal by `flaky`.", "seconds", {
    seconds: "`retryAfterSeconds` as a number",
    date: "that time as an HTTP date",
    none: "none",
  }),
  retryAfterSeconds: count("The seconds of `retryAfter`, and of Retry-After in an answer with 202.", 1),
  revokeKey: triggers(
    "Which requests find their own key disabled just before: 401. Other keys still work, as after a rotation.",
  ),
  crossedAnswer: triggers("Which writes take effect but get the answer of the previous write to the same route."),
  dropResponse: triggers("Which requests take effect but lose their answer; see `dropResponseAs`."),
  dropResponseAs: choice("What the client gets instead of the lost answer.", "reset", {
    reset: "the connection is closed",
    "502": "502, an HTML page from a proxy",
    "504": "504, an HTML page from a proxy",
  }),
  hang: triggers("Which requests take effect but get no answer; the connection stays open."),
  hangBody: triggers("Which requests take effect but get only headers and half a body."),
  reset: triggers("Which requests lose their connection before they take effect."),
  html200: triggers("Which requests get an HTML login page with status 200 before they take effect."),
  redirect: triggers("Which requests are redirected before they take effect; see `redirectStatus` and `redirectTo`."),
  redirectStatus: choice("The status of a redirect.", "301", {
    "301": "301",
    "302": "302",
    "303": "303",
    "307": "307",
    "308": "308",
  }),
  redirectTo: choice("The target of a redirect.", "same", {
    same: "the same path under /moved at this origin, which works",
    other: "the same path under /moved at another origin, which is this server under its other name",
  }),
};

export type KnobName = keyof typeof registry;

/**
 * What the service's documentation leaves open, as choices for the person who starts the server. The defaults are one plain dialect;
 * each knob's row says what its values do.
 */
export type Knobs = { readonly [Name in KnobName]: (typeof registry)[Name]["otherwise"] };

export const knobRegistry: ReadonlyMap<string, Knob> = new Map<string, Knob>(Object.entries(registry));

export const defaultKnobs: Knobs = Object.fromEntries(
  Object.entries(registry).map(([name, knob]) => [name, knob.otherwise]),
) as Knobs;
