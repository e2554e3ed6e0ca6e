import { formatCount, joinList, truncateList } from "../../codes/message.ts";
import {
  consistencyWindow,
  relevantUnreadFields,
  suggestedShapesLine,
  unreadFieldNames,
} from "../../model/capabilities.ts";
import { accountStatus } from "../../model/key.ts";
import type { Capabilities, Failure } from "../../model/recorded.ts";
import { isRefusedAccess } from "../../model/result.ts";
import { formatRoles } from "../../model/role-set.ts";
import type { DoctorCheck, DoctorObservations, DoctorReport, OtherAddress, SearchCheck } from "./observations.ts";

/** What all that was seen means, one line for each question, in the order in which they are shown. */
export function diagnose(seen: DoctorObservations): DoctorReport {
  const checks = [
    ...machineChecks(seen),
    ...addressChecks(seen),
    ...keyChecks(seen),
    ...accountChecks(seen),
    ...listChecks(seen),
    ...capabilityChecks(seen),
    ...writeChecks(seen),
    ...shapeChecks(seen),
    ...clockChecks(seen),
  ];
  return { service: seen.address, settings: seen.settings, checks, capabilities: seen.capabilities };
}

export function decisiveFailure(seen: DoctorObservations): Failure | undefined {
  return readFailures(seen)[0];
}

/** Every failed reading without which no plan can be made, in the order in which they were tried. */
function readFailures({ roles, details, list, search }: DoctorObservations): readonly Failure[] {
  const readings = [roles, ...details.map(({ reading }) => reading), list, search?.reading];
  return readings.flatMap((reading) => (reading === undefined || reading.ok ? [] : [reading.error]));
}

type Checks = Generator<DoctorCheck, void>;

function ok(check: string, asked: string, came: string, means: string): DoctorCheck {
  return { check, mark: "ok", asked, came, means };
}

function notice(check: string, asked: string, came: string, means: string): DoctorCheck {
  return { check, mark: "notice", asked, came, means };
}

/** Without an answer that can be used, no plan can be made. */
function failed(check: string, asked: string, failure: Failure, means = suggestFix(failure)): DoctorCheck {
  return { check, mark: "problem", asked, came: describeFailure(failure), means };
}

function describeFailure({ message, status, serviceSays }: Failure): string {
  const quote = serviceSays === undefined ? "" : `; the service says: ${serviceSays}`;
  const withStatus = status === undefined || message.includes(String(status)) ? message : `${message} (${status})`;
  return `${withStatus}${quote}`;
}

function suggestFix({ code, hint }: Failure): string {
  return hint === undefined ? (fixes[code] ?? "roster needs this to make a plan.") : `${hint}.`;
}

const fixes: Partial<Readonly<Record<Failure["code"], string>>> = {
  unauthorized: "The service rejects the key. Check that it is complete and active.",
  forbidden:
    "The key has no permission. Use the key of a Platform Administrator, or of an Account Administrator of this account.",
  "not-found": "The service does not know this path. Check the endpoint and the identifier.",
  "service-error": "The service is busy or has an error. Try again later.",
};

/** The day after which a major version of Node gets no more security updates. */
const endOfLife: ReadonlyMap<number, string> = new Map([
  [20, "2026-04-30"],
  [22, "2027-04-30"],
  [24, "2028-04-30"],
]);

/** The connection is shown only where it is not direct. */
function* machineChecks({ node, now, way: { proxy, authorities } = {} }: DoctorObservations): Checks {
  const major = Number(/^v?(\d+)\./u.exec(node)?.[1]);
  const end = endOfLife.get(major);
  const asked = "the version of Node.js";
  const old = `roster supports it, but Node ${major} has no security updates since ${end}. Install Node 24.`;
  if (end === undefined) yield ok("node", asked, node, "roster supports it.");
  else if (now > Date.parse(`${end}T23:59:59Z`)) yield notice("node", asked, node, old);
  else yield ok("node", asked, node, `roster supports it. It gets security updates until ${end}.`);
  if (proxy === undefined && authorities === undefined) return;
  const by = proxy === undefined ? "directly" : `through the proxy ${proxy}`;
  const came = authorities === undefined ? by : `${by}; roster also trusts the authorities in ${authorities}`;
  const means = "A proxy sees only the host and the port of the service, not the requests or the key.";
  yield ok("way", "the connection to the service", came, means);
}

const serviceAnswer = "an answer of an account service";

function* addressChecks({ endpoint, address, roles, otherAddresses }: DoctorObservations): Checks {
  const asked = `GET ${address}/api/accounting/roles`;
  if (roles.ok || isServiceAnswer(roles.error)) {
    const came = roles.ok ? serviceAnswer : `an answer (${roles.error.status})`;
    const given = endpoint.replace(/\/+$/u, "");
    const isDropped = given.endsWith("/api") && given !== address;
    const dropped = isDropped ? " roster does not repeat the /api of the endpoint." : "";
    const means = `This is the base address of an account service. Calls go to ${address}/api.${dropped}`;
    yield ok("base-address", asked, came, means);
    return;
  }
  const works = otherAddresses.find(hasAnswered);
  const nobody = roles.error.code === "misunderstood" ? "" : "No account service answers here. ";
  const elsewhere = works && `Set the endpoint to ${works.endpoint}. The service answers there.`;
  yield failed("base-address", asked, roles.error, elsewhere ?? `${nobody}${suggestFix(roles.error)}`);
  for (const other of otherAddresses) {
    const tried = `GET ${other.address}/api/accounting/roles`;
    const came = other.reading.ok ? serviceAnswer : describeFailure(other.reading.error);
    yield hasAnswered(other)
      ? notice("other-address", tried, came, "An account service answers here.")
      : ok("other-address", tried, came, "No account service answers here either.");
  }
}

function hasAnswered({ reading }: OtherAddress): boolean {
  return reading.ok || isServiceAnswer(reading.error);
}

/** A service that refuses a key or asks to wait is there. */
function isServiceAnswer({ code }: Failure): boolean {
  return code === "unauthorized" || code === "forbidden" || code === "service-error";
}

function* keyChecks({ roles, key, pullRequest, list }: DoctorObservations): Checks {
  const asked = `if the service accepts the key of ${key.from}`;
  const reads = "The key can read. `doctor` changes nothing, so it cannot check if the key can also write.";
  if (roles.ok) yield ok("key", asked, "yes", reads);
  else if (isRefusedAccess(roles.error)) yield failed("key", asked, roles.error);
  if (roles.ok || roles.error.code === "forbidden") yield keyOwner(key);
  // Who opens a pull request decides what runs in its job, and so what becomes of the key in it.
  if (pullRequest !== undefined && list !== undefined) yield keyInPullRequest(key, pullRequest);
}

function keyOwner({ prefix, shown, privilegedRoles }: DoctorObservations["key"]): DoctorCheck {
  const asked = `the owner and the roles of the key${prefix === undefined ? "" : ` ${prefix}`}`;
  const is = (came: string, means: string) => ok("key-owner", asked, came, means);
  const unknown = "roster cannot find the key among the keys of users. Check its roles in the service.";
  if (prefix === undefined) return is("unknown: the key has no prefix before a dot", unknown);
  if (shown === undefined) return is("not shown", "No answer shows this key. Check its roles in the service.");
  const { email, roles } = shown;
  const hidden = "The service does not show the roles of keys. Check them in the service.";
  if (roles === undefined) return is(`${email}, roles not shown`, hidden);
  const means = roles.some((role) => privilegedRoles.includes(role))
    ? "This is the key of an administrator: it can change users, teams and keys."
    : "It has no administrator role that roster knows. The service may refuse changes. If its role may make them, add the role to `guards.privileged-roles` in the settings (in CI: outside the checkout).";
  return is(`${email}, ${formatRoles(roles)}`, means);
}

function keyInPullRequest({ shown, privilegedRoles }: DoctorObservations["key"], pullRequest: string): DoctorCheck {
  const check = "key-in-pull-request";
  const asked = "if a pull request gets the key of an administrator";
  const instead =
    "Plan from a snapshot file: `roster plan --from FILE`, see docs/ci.md. Or use a key that can only read.";
  const job = "This job belongs to a pull request";
  const unknown = `${job}. Check in the service that this key has no administrator role. If it has one: ${instead}`;
  if (shown?.roles === undefined) return notice(check, asked, `unknown (${pullRequest})`, unknown);
  const admin = shown.roles.filter((role) => privilegedRoles.includes(role));
  const means = `A pull request can change what this job runs, and so use the key to change the service. ${instead}`;
  return admin.length === 0
    ? ok(check, asked, `no (${pullRequest})`, `${job}, and its key has no administrator role.`)
    : notice(check, asked, `yes: ${formatRoles(admin)} (${pullRequest})`, means);
}

function* accountChecks({ accounts, details, roles }: DoctorObservations): Checks {
  if (accounts !== undefined) {
    const asked = "GET /api/accounting/accounts";
    const unknown = "It is unknown which accounts the key can see. A plan needs only the accounts of the roster.";
    const none = "The key sees no account. Name one with --account, or use the key of an administrator.";
    if (!accounts.ok) yield notice("accounts", asked, describeFailure(accounts.error), unknown);
    else if (accounts.value.length === 0) yield notice("accounts", asked, "no accounts", none);
    else yield ok("accounts", asked, listed(accounts.value, "account"), "A roster can use any of them as its account.");
  }
  for (const detail of details) yield accountCheck(detail);
  if (!roles.ok) return;
  const asked = "GET /api/accounting/roles";
  yield roles.value.length === 0
    ? notice("roles", asked, "no roles", "A roster can use no role here. Check what the key can see.")
    : ok(
        "roles",
        asked,
        listed(roles.value, "role"),
        "Roles in the roster must match these exactly. Upper and lower case matter.",
      );
}

function accountCheck({ account, reading }: DoctorObservations["details"][number]): DoctorCheck {
  const asked = `GET /api/accounting/accounts/${account}`;
  if (!reading.ok) return failed("account", asked, reading.error);
  const { status, members, membersCut } = reading.value;
  const shown = members === undefined ? "users not shown" : `${formatCount(members.length, "user")} shown`;
  const came = `${status === undefined ? "no status" : `status ${status}`}, ${shown}`;
  const cut = "The details do not show all users, so they cannot prove that a user is absent.";
  const whole = "roster compares these users with searches and the list of users.";
  const none = "The details show no users. roster knows them from searches and the list of users.";
  const means = members === undefined ? none : membersCut ? cut : whole;
  return status === undefined || accountStatus(status) === "active"
    ? ok("account", asked, came, means)
    : notice("account", asked, came, `roster creates nothing in an account that is ${status}. ${means}`);
}

/** `2 roles: A and B`, of many the first. */
function listed(things: readonly { readonly identifier: string }[], what: string): string {
  const names = things.map(({ identifier }) => identifier);
  return `${formatCount(names.length, what)}: ${truncateList(names, 12)}`;
}

function* listChecks({ list, search, capabilities }: DoctorObservations): Checks {
  if (list !== undefined) {
    const asked = "GET /api/accounting/users, page by page";
    if (!list.ok) yield failed("users", asked, list.error);
    else {
      const { users, requests, everyone } = list.value;
      const came = `${formatCount(users, "user")} with ${formatCount(requests, "request")}`;
      if (everyone.read === "incomplete") {
        const until = `The list is incomplete: ${everyone.why}. Until it is complete, roster creates no users and no teams.`;
        const check = "Check that the key can see all users, and how the service splits the list into pages.";
        yield notice("users", asked, came, `${until} ${check}`);
      } else yield ok("users", asked, came, completeListMeanings[capabilities?.teamsOnKeys ?? "unknown"]);
      if (capabilities !== undefined) yield pagingCheck(capabilities.paging);
    }
  }
  if (search === undefined) return;
  const asked = `POST /api/accounting/users/search for ${search.email}, a user of the list`;
  if (!search.reading.ok) yield failed("search", asked, search.reading.error);
  else yield (search.reading.value === "not-found" ? notice : ok)("search", asked, ...searches[search.reading.value]);
}

/** Only keys that show their teams say of a team that it is not there. */
const completeListMeanings: Readonly<Record<Capabilities["teamsOnKeys"], string>> = {
  shown: "The list is complete, so it can prove that a team is absent.",
  hidden: "The list is complete. It cannot prove that a team is absent, because keys do not show their teams.",
  unknown: "The list is complete. No key shows yet if it can prove that a team is absent.",
};

type AnswerAndMeaning = readonly [came: string, means: string];

const searches: Readonly<Record<SearchCheck, AnswerAndMeaning>> = {
  found: ["only this user", "The search finds a known user, so it can prove that another is absent."],
  "found-among-others": [
    "this user and similar users",
    "The search is fuzzy. roster ignores similar users, and proves an absence with a second search.",
  ],
  "not-found": [
    "no user",
    "The search does not find a known user. It cannot prove that a user is absent, so roster creates no users with it.",
  ],
};

function pagingCheck({ firstPage, largestPage }: Capabilities["paging"]): DoctorCheck {
  const [came, means] = firstPages[firstPage];
  const asked = "the number of the first page, and the page size";
  if (largestPage === undefined) return ok("paging", asked, came, means);
  const size = `${came}; at most ${formatCount(largestPage, "row")} on a page of 100`;
  const short = "Pages are smaller than requested, so a short page may not be the last one.";
  return ok("paging", asked, size, `${means} ${short}`);
}

const firstPages: Readonly<Record<Capabilities["paging"]["firstPage"], AnswerAndMeaning>> = {
  "0": ["page 0 is the first", "roster reads pages from 0."],
  "1": ["page 1 is the first, and there is no page 0", "roster reads pages from 1."],
  "0-and-1-alike": ["pages 0 and 1 are the same", "roster reads pages from 1."],
  unknown: [
    "one page, or pages without differences",
    "It is unknown how the service counts pages. roster finds out with each list.",
  ],
};

/** What a plan can know of this service, and on what it rests where the service does not show it. */
function* capabilityChecks({ capabilities, unread = [] }: DoctorObservations): Checks {
  if (capabilities === undefined) return;
  for (const [of, check, asked, shown, hidden] of capabilityQuestions) {
    const is = capabilities[of];
    if (is === "unknown") yield ok(check, asked, is, "Unknown: no user in the answers has it.");
    else if (is === "shown") yield ok(check, asked, is, shown);
    else yield (of === "totals" ? ok : notice)(check, asked, "not shown", hidden);
  }
  // Fields that look like what is not shown: then the settings can say where it is.
  const missed = relevantUnreadFields(unread, capabilities);
  if (missed.length === 0) return;
  const asked = "fields of users and keys that roster does not read";
  const means = `They look like facts that roster did not find. If they are, add to the settings (in CI: outside the checkout): ${suggestedShapesLine(missed)}`;
  yield notice("unread-fields", asked, joinList(unreadFieldNames(missed)), means);
}

const capabilityQuestions: readonly (readonly [
  of: Exclude<keyof Capabilities, "paging">,
  check: string,
  asked: string,
  shown: string,
  hidden: string,
])[] = [
  [
    "keysOnUsers",
    "keys-on-users",
    "the keys of users",
    "roster reads memberships and prefixes from the service.",
    "roster takes memberships and prefixes from the state and from `key:` in the roster. Earlier members become findings.",
  ],
  [
    "rolesOnKeys",
    "roles-on-keys",
    "the roles of keys",
    "roster compares roles with the service.",
    "roster compares roles with its last change. It cannot see changes of others.",
  ],
  [
    "teamsOnKeys",
    "teams-on-keys",
    "the teams of keys",
    "If all users were read, a team without keys is absent.",
    "roster cannot prove that a team is absent. Write its `identifier`, or pass the `--allow unproven-absence:…` that a plan prints.",
  ],
  ["titles", "titles", "the titles of users", "A different title is a finding.", "roster does not compare titles."],
  [
    "totals",
    "totals",
    "the total number of rows in a list",
    "If a list has fewer rows than its total, it is incomplete.",
    "A list is complete if its pages have a clear end.",
  ],
];

/** How the service takes writes, as far as the state remembers: a doctor writes nothing. */
function* writeChecks({ writes }: DoctorObservations): Checks {
  if (writes === undefined) return;
  const { learned: { throttling, membersNamedBy } = {}, set } = writes;
  const window = formatSpan(consistencyWindow(set));
  const from = set === undefined ? "the default" : "set in the settings";
  const means = `If reads do not show a change after ${window}, it was not made.`;
  yield ok("consistency", "how long reads may not show a change", `${window} (${from})`, means);
  const asked = "if a throttled write took effect";
  const readAgain = "roster does not send a throttled create or add again. It reads the outcome.";
  const sentAgain = "roster sends a throttled write again after the time that the service gives.";
  if (throttling === "may-have-effect") yield notice("throttling", asked, "yes", readAgain);
  else if (throttling !== undefined) yield ok("throttling", asked, "no", sentAgain);
  if (membersNamedBy === undefined) return;
  const by = membersNamedBy === "email" ? "by their addresses" : "by their identifiers";
  yield ok("member-names", "how calls name new members", by, `roster names new members ${by}.`);
}

function formatSpan(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds >= 60 && seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}

function* shapeChecks(seen: DoctorObservations): Checks {
  const unreadable = readFailures(seen).filter(({ code }) => code === "misunderstood");
  const misunderstood = new Set(unreadable.map(({ request }) => request));
  const shown = new Set<string>();
  for (const { request, status, shape } of seen.answers) {
    if (shown.has(request) || status >= 300) continue;
    shown.add(request);
    const came = `${status}, ${shape}`;
    yield misunderstood.has(request)
      ? { ...ok("shape", request, came, unreadShapeMeaning), mark: "problem" }
      : ok("shape", request, came, "roster can read this answer.");
  }
}

const unreadShapeMeaning =
  "roster cannot read this answer. If this is the right service, set its fields under `service.shapes` in the settings (in CI: outside the checkout). See docs/services.md.";

const maxClockSkew = 5;

/** Waiting for what was done a moment ago, and certificates, rest on clocks that agree. */
function* clockChecks({ answers }: DoctorObservations): Checks {
  if (answers.length === 0) return;
  const asked = "the clock of the service (Date header)";
  const skews = answers
    .map(({ at, date }) => Math.round((Date.parse(date ?? "") - at) / 1000))
    .filter((skew) => !Number.isNaN(skew));
  const [skew] = skews.sort((a, b) => Math.abs(a) - Math.abs(b));
  if (skew === undefined) {
    yield ok("clock", asked, "no date", "It is unknown if the clocks agree. roster does not need it.");
    return;
  }
  const came = skew === 0 ? "the same time as this machine" : `${Math.abs(skew)} s ${skew > 0 ? "ahead" : "behind"}`;
  const wrong =
    "One of the two clocks is wrong, so times in the state and in the service differ. Set the clock of this machine.";
  yield Math.abs(skew) <= maxClockSkew
    ? ok("clock", asked, came, "The clocks agree.")
    : notice("clock", asked, came, wrong);
}
