import { choice, count, type Knob, type KnobValueOf, triggers } from "./knob.ts";

const envelope = choice("In what a list of accounts, users or roles is wrapped.", "L1", {
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
  unknown: "payload{rows}, which nobody knows",
});

/** Every knob by its name. A new knob is one row. */
const registry = {
  // Lists: paging, order, envelopes, links, totals.
  pageBase: choice("Which number the first page of a list has.", "one-alias", {
    "one-alias": "1, and page 0 is answered as page 1",
    "one-strict": "1, and page 0 is refused with 400",
    "one-empty": "1, and page 0 is answered without rows",
    zero: "0",
    ignored: "whatever page is asked for, the first one comes",
  }),
  maxPerPage: count("Rows on a page at the most; `overMaxPerPage` says what becomes of more.", 1000, {
    least: 1,
  }),
  overMaxPerPage: choice("What becomes of a `per-page` over `maxPerPage`.", "clamp", {
    clamp: "it counts as the largest page",
    reject: "it is refused with 400",
    ignore: "it counts as if it were not given: 10 rows",
  }),
  pastEnd: choice("What a page past the last one of a list answers.", "empty", {
    empty: "200 without rows",
    "404": "a refusal with 404",
    "400": "a refusal with 400",
    "last-again": "the last page once more",
  }),
  emptyPage: count(
    "The page of a list that comes without rows although the list goes on behind it, counted from 1; 0 for none.",
    0,
  ),
  repeatedRows: count("How many rows of the page before stand once more at the head of a page.", 0),
  repeatedAs: choice("How the `repeatedRows` look when they come again.", "same", {
    same: "as before",
    "upper-case": "with the address of a user in capital letters",
  }),
  order: choice("In which order rows stand that `sort-by` does not tell apart.", "stable", {
    stable: "in that of their creation",
    "shuffle-ties": "in another one at each request; without `sort-by` no row is told from another",
    shuffle: "all rows stand in another order at each request, whatever `sort-by` says",
  }),
  sortable: choice("Which fields `sort-by` knows.", "all", {
    all: "every field that the route describes",
    none: "none, so that each name is an unknown one",
  }),
  sortUnknown: choice("What becomes of a `sort-by` that names no field of the list.", "400", {
    "400": "the request is refused with 400",
    "500": "the request fails with 500",
    ignore: "the name is left out of account",
  }),
  envelope,
  laterEnvelope: choice("In what the pages of a list after the first one are wrapped.", "same", {
    same: "as the first",
    ...envelope.values,
  }),
  link: choice("Which address of the next page a list gives, in its `Link` header or in its body.", "ok", {
    ok: "the right one, with those of the first, the previous and the last page",
    none: "none",
    always: "the right one, and one on the last page too",
    "self-next": "that of this page",
    "zero-next": "that of page 0",
    "http-inner-host": "one at http://inner:8080, as behind a proxy",
    relative: "a path without host",
    "drops-query": "the right one without any other parameter of the query",
    "evil-host":
      "one at another origin, which leads to this server under its other name, so that the request log tells",
  }),
  total: choice("Where a list says how many rows there are in all, and whether that is true.", "body", {
    body: "where its envelope has a place for it; a bare array has none",
    header: "in the header X-Total-Count alone",
    both: "in the header and in the body",
    none: "nowhere",
    "wrong-high": "in both, and it is 7 too many",
    "wrong-low": "in both, and it is half of them",
  }),
  // What users, keys, teams and roles show of themselves.
  showKeys: choice("Under which name a user in a list or a search shows the access keys.", "accessKeys", {
    accessKeys: "accessKeys",
    listAccessKeys: "listAccessKeys",
    none: "they are not shown",
  }),
  showKeyRoles: choice("How a key that is shown tells its roles.", "objects", {
    objects: "as objects with their identifier",
    names: "as bare identifiers",
    null: "roles is null",
    none: "not at all",
  }),
  showKeyKinds: choice("How a key that is shown tells whether it is a user's, a team's or a project's.", "kind", {
    kind: "as kind, and isDefault for a user's own",
    keyType: "as keyType, and isDefault for a user's own",
    none: "not at all",
  }),
  showTeams: choice("How a key, and the creation of a user with a team, tells of the team.", "full", {
    full: "as an object with identifier and name, null where a key has none",
    identifier: "as an object with its identifier",
    name: "as an object with its name",
    text: "as its bare identifier",
    flat: "in two fields, teamIdentifier and teamName; both are null where a key has none",
    teamId: "in the field teamId alone, which is null where a key has none",
    teamName: "in the field teamName alone, which is null where a key has none",
    "created-only": "as an object with identifier and name where a user is created or added, and nowhere else",
    none: "not at all",
  }),
  showTitles: choice("Whether users show their title.", "yes", {
    yes: "they do",
    no: "they do not",
  }),
  userWords: choice("Under which names a user shows identifier, email and status.", "plain", {
    plain: "identifier, email, status",
    short: "id, emailAddress, state",
    long: "userIdentifier, username, active (true or false)",
  }),
  identifiers: choice("What the identifiers of new users and teams are. Holds from the start on.", "words", {
    words: "words with a number, such as u-12",
    numbers: "whole numbers, which answers show as JSON numbers",
  }),
  statusCase: choice("How the words of a status are written.", "capitalised", {
    capitalised: "as they are: Active",
    lower: "active",
    upper: "ACTIVE",
  }),
  times: choice("Whether and how users show when they were created, changed and seen.", "hidden", {
    hidden: "not at all",
    z: "2026-01-02T03:04:05.000Z",
    offset: "2026-01-02T03:04:05.000+00:00",
    "basic-offset": "2026-01-02T03:04:05.000+0000",
    mixed: "createdAt with +0000, updatedAt with +00:00, lastActiveDateTime null",
    epoch: "milliseconds since 1970 as a number",
  }),
  oddities: choice("What else is odd about users that are shown.", "none", {
    none: "nothing",
    "extra-fields": "they have fields that nobody knows, one of them called __proto__",
    nulls: "their status, source and title are null",
    "missing-keys": "who has no keys shows no list of keys",
  }),
  // The shapes of answers.
  accountDetails: choice("How the details of an account come.", "A1", {
    A1: "identifier, name, status, users[objects]",
    A2: "as A1, with the addresses of users in place of objects",
    "A2-identifiers": "as A1, with the identifiers of users in place of objects",
    A3: "as A1, with the users as a Spring page (content, totalElements and so on)",
    "A3-truncated": "as A1, with userCount and the first ten users alone",
    A4: "a list of one: the details as in A1",
    A5: "account{details as in A1}",
    "A5-data": "data{details as in A1}",
    "no-users": "identifier, name, status",
  }),
  roleList: choice("What the list of roles holds.", "R1", {
    R1: "objects with identifier, name, description and type, in the list's envelope",
    R2: "bare identifiers, in the list's envelope",
    R3: "an object roles[…] with such objects, whatever the envelope of lists",
  }),
  search: choice("How a search answers whom it found.", "S1", {
    S1: "a bare array of users",
    S2: "in the envelope of lists",
    S3: "a map from each text that was asked to its user, or to null",
    S4: "an array with an entry for each text that was asked, in its order: the user, or null",
    S5: "a bare array, and 404 where nobody was found",
    S6: "found[users], notFound[texts]",
    S7: "the user alone where one was found, else a bare array",
  }),
  create: choice("How the creation of a user answers; `createStatus` says with which status.", "C1", {
    C1: "the user with accessKeys[the new key], and the team if one was founded",
    C2: "the new key with user{} and account{}",
    C3: "as C1 with listAccessKeys for accessKeys",
    C4: "user{identifier, email}, accessKey{prefix}",
    C5: "identifier, email, accessKeyPrefix",
    C6: "user{}, apiKey with the whole key, its secret included",
    C7: "data{user{}, accessKeys[the new key]}",
    C8: "no body; Location leads to the user",
    C9: "202 whatever `createStatus` says: status PENDING, with Location and Retry-After",
    C10: "as C1 with a second key: whoever founds a team gets a key of their own too, anybody else a project's",
    "C10-ambiguous": "as C10, and nothing tells the two keys apart",
    C11: "as C1; where the user is there already, 200 with that user, whatever `conflict` says",
    C12: "the prefix as plain text",
  }),
  createStatus: choice("With which status a creation answers when it is done.", "201", {
    "200": "200",
    "201": "201",
    "202": "202, although the user is there at once",
  }),
  members: choice("How the addition of members answers, and what becomes of a batch with a bad entry.", "M1", {
    M1: "200, an array of members with their new keys; one bad entry refuses the batch, with 404 or 409",
    M2: "200, the team with identifier, name, members[identifier, email]; a batch as in M1",
    M3: "204 without a body; a batch as in M1",
    "M3-201": "201 without a body; a batch as in M1",
    M4: "207, successes[members], failures[identifier, status, detail]",
    "M4-list": "207, an array with identifier, status and message of each entry",
    M5: "200, members[], and errors[] for the bad entries",
    "M5-201": "201, status success, or status error with message{identifier: problems}; the others are added",
    M6: "as M1, and a batch with a bad entry is refused with 400",
    M7: "202 whatever `membersStatus` says: status QUEUED; a batch as in M1",
  }),
  membersStatus: choice("With which status an addition answers when it added everybody.", "own", {
    own: "the one that `members` names",
    "200": "200",
    "201": "201",
    "204": "204 without a body",
  }),
  putRolesAnswer: choice("How the replacement of a key's roles answers.", "roles", {
    roles: "200, an array of the roles that the key has now",
    key: "200, the key",
    empty: "204 without a body",
    accepted: "202 whatever `putRolesStatus` says: status ACCEPTED",
  }),
  putRolesStatus: choice("With which status the replacement of a key's roles answers.", "own", {
    own: "the one that `putRolesAnswer` names",
    "200": "200",
    "204": "204 without a body",
  }),
  error: choice("What the body of a refusal is.", "X1", {
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
  errorStatus: choice("With which HTTP status a refusal comes.", "own", {
    own: "its own",
    "200": "200, so that the body alone tells",
  }),
  // Rules of the world.
  searchMatch: choice("Whom a search finds.", "exact", {
    exact: "users whose identifier or address is the text that was asked",
    external: "those, and users with that external identifier",
    fuzzy: "every user whose address or identifier contains the text",
  }),
  searchPages: choice("How much of what a search found comes with one request.", "whole", {
    whole: "everybody, unless the query names a page (S1 and S2)",
    paged: "a page, as of a list (S1 and S2)",
    "first-ten": "the first ten, whatever the query says, and nothing tells that there are more",
  }),
  searchMaxIdentifiers: count(
    "How many texts of one search are looked at, 0 for all; `searchOverMax` says what becomes of more.",
    0,
  ),
  searchOverMax: choice("What becomes of a search for more texts than are looked at.", "drop", {
    drop: "the others are left out without a word",
    reject: "it is refused with 400",
  }),
  match: choice("When two addresses are one.", "ci", {
    ci: "whatever their letter case",
    exact: "where every letter is the same, so that two users may differ in letter case alone",
  }),
  emailCase: choice("In which letter case an address is kept.", "preserve", {
    preserve: "as it was sent",
    lower: "in small letters",
  }),
  externalId: choice("What external identifier a new user has.", "keep", {
    keep: "the one that was sent, else none",
    email: "the address, whatever was sent",
  }),
  texts: choice("What becomes of the names and the title of a new user.", "keep", {
    keep: "they are kept as they were sent",
    trim: "white space around them is cut off, and an empty title is none",
    "drop-title": "names are kept, the title is not",
  }),
  maxTitle: count("Letters of a new user's title at the most, 0 for any number; a longer one is a 400.", 0),
  conflict: choice("What the creation of a user answers whose address is taken.", "409", {
    "409": "409",
    "400": "400",
    "422": "422",
    "500": "500, as when a unique constraint is violated",
    "200": "200 with the user who is there",
    "409-though-created": "409, and a free address too is answered with 409, although the user is created",
  }),
  deleted: choice("What is left of a user whose status is Deleted.", "visible", {
    visible: "they are shown as any other, and their address is taken",
    "hidden-but-blocks": "no list, search or account shows them, and their address is taken",
    reusable: "no list, search or account shows them, and their address is free",
  }),
  founderRoles: choice("To what `accessKeyRoles` are appended on the key of whoever founds a team.", "TEAM_ROLE", {
    TEAM_ROLE: "TEAM_ROLE; without any the key has ACCOUNT_ADMIN too",
    "ACCOUNT_ADMIN+TEAM_ROLE": "ACCOUNT_ADMIN and TEAM_ROLE",
  }),
  putRoles: choice("What the replacement of a key's roles leaves on it.", "replace", {
    replace: "the roles that were sent",
    "keep-TEAM_ROLE": "those, and TEAM_ROLE",
    merge: "those, and all that it had before",
    "reject-without-TEAM_ROLE": "those; a list without TEAM_ROLE is refused with 400",
  }),
  roleKinds: choice("Whether a key must be of the kind that its roles are for.", "free", {
    free: "every key may have every role",
    strict: "PROJECT is for projects' keys alone, and they have no other; a team's key has no role of the type system",
  }),
  memberIdentifiers: choice("By what the addition of members names a user.", "both", {
    both: "identifier or address",
    identifier: "identifier alone",
    email: "address alone",
  }),
  readd: choice("What becomes of the addition of somebody who is a member already.", "409", {
    "409": "it is refused with 409",
    noop: "nothing; it is answered as if they had been added, with the key that they have",
    reinvite: "as noop, and the invitation is mailed again",
    remove: "they are a member no more",
  }),
  credentialScope: choice("Which users the list of users shows to an administrator.", "all", {
    all: "all of the account, or of every account",
    team: "only whoever shares a team with the administrator; a search finds everybody",
  }),
  authOnAccounts: choice("Whether the lists of accounts and of roles ask for a key.", "required", {
    required: "they do",
    "not-required": "they do not; a key that is sent is looked at all the same",
  }),
  // How long something new is not yet there.
  searchLagMs: count(
    "For how many milliseconds a created user, or a new key of theirs, is not yet found by a search.",
    0,
  ),
  listLagMs: count("For how many milliseconds a created user, or a new key of theirs, is not yet in the list.", 0),
  detailLagMs: count(
    "For how many milliseconds a created user is not yet among the users of the account's details.",
    0,
  ),
  shownKeyLagMs: count(
    "For how many milliseconds a list and a search do not show a new key, or the new roles of a key.",
    0,
  ),
  keyLagMs: count(
    "For how many milliseconds the roles of a new key cannot be replaced; `keyLagStatus` says how it is refused.",
    0,
  ),
  keyLagStatus: choice("With what a key that is not there yet (`keyLagMs`) is refused.", "404", {
    "404": "404",
    "400": "400",
  }),
  teamLagMs: count("For how many milliseconds nobody can be added to a team that was just founded: 404.", 0),
  memberLagMs: count("For how many milliseconds a created user cannot be added to a team: 404.", 0),
  // What befalls requests and answers on their way.
  basePath: choice("Under which path the routes of the service are served.", "root", {
    root: "/api/accounting/…",
    modzy: "/modzy/api/accounting/…, and nowhere else",
  }),
  maxBodyBytes: count("Bytes of a request body at the most; a larger one is refused with 413.", 1024 * 1024),
  latencyMs: count("Milliseconds that every answer takes at least.", 0),
  flaky: triggers("Which requests are refused before anything is done; `flakyStatus` and `retryAfter` say how."),
  throttleAfterEffect: triggers(
    "Which requests are served, and then refused as too many: with `flakyStatus` where it is 429, 403 or 503, else with 429; and always with Retry-After.",
  ),
  flakyStatus: choice("With which status a flaky request is refused.", "503", {
    "503": "503",
    "429": "429",
    "403": "403, with a message of a rate limit",
    "401": "401, as if the key had been deactivated meanwhile",
    "400": "400, as of a service that is not ready yet",
    "408": "408",
    "500": "500",
    "502": "502",
    "504": "504",
  }),
  retryAfter: choice("What Retry-After a flaky request is refused with.", "seconds", {
    seconds: "`retryAfterSeconds` as a number",
    date: "that time as an HTTP date",
    none: "none",
  }),
  retryAfterSeconds: count("The seconds of `retryAfter`, and of the Retry-After of an answer with 202.", 1),
  crossedAnswer: triggers(
    "Which writes are done, and answered with the answer of the last write to the same route that was done before.",
  ),
  dropResponse: triggers(
    "Which requests are served, and their answers are lost; `dropResponseAs` says what comes in their place.",
  ),
  dropResponseAs: choice("What comes in the place of an answer that is lost.", "reset", {
    reset: "the end of the connection",
    "502": "502, a page of HTML from something in between",
    "504": "504, a page of HTML from something in between",
  }),
  hang: triggers("Which requests are served and never answered; the connection stays open."),
  hangBody: triggers("Which requests are served and answered by headers and half a body, and then nothing more."),
  reset: triggers("Which requests meet the end of their connection before anything is done."),
  html200: triggers("Which requests get the page of a login in HTML, with status 200, before anything is done."),
  redirect: triggers(
    "Which requests are sent elsewhere before anything is done; `redirectStatus` and `redirectTo` say how and where.",
  ),
  redirectStatus: choice("With which status requests are sent elsewhere.", "301", {
    "301": "301",
    "302": "302",
    "303": "303",
    "307": "307",
    "308": "308",
  }),
  redirectTo: choice("Where requests are sent that are sent elsewhere.", "same", {
    same: "to the same path under /moved at this origin, where they are served",
    other: "to the same path under /moved at another origin, which leads to this server under its other name",
  }),
};

export type KnobName = keyof typeof registry;

/**
 * What the service's documentation leaves open, as choices for the person who starts the server. The defaults are one plain dialect;
 * each knob's row says what its values do.
 */
export type Knobs = { readonly [Name in KnobName]: KnobValueOf<(typeof registry)[Name]> };

export const knobRegistry: ReadonlyMap<string, Knob> = new Map<string, Knob>(Object.entries(registry));

export const defaultKnobs: Knobs = Object.fromEntries(
  Object.entries(registry).map(([name, knob]) => [name, knob.otherwise]),
) as Knobs;
