import { publishedName } from "../../codec/publish.ts";
import { formatCount, joinList, truncateList } from "../../codes/message.ts";
import type { Capabilities, WriteBehaviour } from "../../model/capabilities.ts";
import * as capability from "../../model/capabilities.ts";
import { consistencyWindow } from "../../model/consistency-window.ts";
import { formatPlace } from "../../model/fact.ts";
import type { Failure } from "../../model/failure.ts";
import { accountStatus } from "../../model/key.ts";
import { isRefusedAccess, type Result } from "../../model/result.ts";
import type { ObservedAccount, SearchCheck } from "../../model/snapshot.ts";
import { formatRoles, type RoleSet } from "../../model/values.ts";
import { formatCounts, statusAside, truncateText } from "../document/names.ts";
import * as t from "../document/tree.ts";
import type { DoctorReport } from "../json/document-format.ts";
import type { Examination } from "./examination.ts";

export interface DoctorObservations extends Examination {
  readonly settings: readonly SettingReport[];
  /** `proxy`: without credentials; absent where the service is reached directly. */
  readonly way?: { readonly proxy?: string; readonly authorities?: string };
  readonly node: string;
  /** `from`: such as `ROSTER_API_KEY`. */
  readonly key: Examination["key"] & { readonly from: string; readonly privilegedRoles: RoleSet };
  /** By which variable the job is known to be a pull request's, such as `GITHUB_EVENT_NAME=pull_request`. */
  readonly pullRequest?: string;
  /** What the state remembers of writes; absent where no state of this service could be read. `set`: a consistency window in milliseconds. */
  readonly writes?: { readonly learned?: WriteBehaviour; readonly set?: number };
}

export type SettingReport = DoctorReport["settings"][number];
type DoctorCheck = DoctorReport["checks"][number];

export function diagnose(seen: DoctorObservations): DoctorReport {
  const ofService = [accountChecks, listChecks, capabilityChecks, writeChecks, shapeChecks, clockChecks];
  const checks = [machineChecks, addressChecks, keyChecks, ...ofService].flatMap((check) => [...check(seen)]);
  return { service: seen.address, settings: seen.settings, checks, capabilities: seen.capabilities };
}

/** Every failed reading without which no plan can be made, in the order in which they were tried. */
export function readFailures({ roles, details, list, search }: DoctorObservations): readonly Failure[] {
  const readings = [roles, ...details.map(({ reading }) => reading), list, search?.reading];
  return readings.flatMap((reading) => (reading === undefined || reading.ok ? [] : [reading.error]));
}

type Checks = Generator<DoctorCheck, void>;

/** What came back, and what it means. What is fine needs no words: with them it is a notice. */
type Came = readonly [came: string, means?: string | undefined];

function answer(check: string, asked: string, ...[came, means]: Came): DoctorCheck {
  return { check, mark: means === undefined ? "ok" : "notice", asked, came, means };
}

/** Without an answer that can be used, no plan can be made. */
function failed(check: string, asked: string, failure: Failure, means = suggestFix(failure)): DoctorCheck {
  return { check, mark: "problem", asked, came: describeFailure(failure), means };
}

function checkReading<T>(
  check: string,
  asked: string,
  reading: Result<T, Failure>,
  read: (value: T) => Came,
): DoctorCheck {
  return reading.ok ? answer(check, asked, ...read(reading.value)) : failed(check, asked, reading.error);
}

function describeFailure(failure: Failure): string {
  const { message, serviceSays } = failure;
  return `${message}${statusAside(failure)}${serviceSays === undefined ? "" : `; the service says: ${serviceSays}`}`;
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

function* machineChecks({ node, way: { proxy, authorities } = {} }: DoctorObservations): Checks {
  yield answer("node", "the version of Node.js", node);
  if (proxy === undefined && authorities === undefined) return;
  const by = proxy === undefined ? "directly" : `through the proxy ${proxy}`;
  const came = authorities === undefined ? by : `${by}; roster also trusts the authorities in ${authorities}`;
  yield answer("way", "the connection to the service", came);
}

function* addressChecks({ address, roles, otherAddresses }: DoctorObservations): Checks {
  if (roles.ok) return yield answer("base-address", "GET /api/accounting/roles", "an account service answers");
  const asked = `GET ${address}/api/accounting/roles`;
  const { error } = roles;
  if (isOfService(roles)) return yield answer("base-address", asked, `an answer (${error.status})`);
  const works = otherAddresses.find(({ reading }) => isOfService(reading));
  const nobody = error.code === "misunderstood" ? "" : "No account service answers here. ";
  const elsewhere = works && `Set the endpoint to ${works.endpoint}. The service answers there.`;
  yield failed("base-address", asked, error, elsewhere ?? `${nobody}${suggestFix(error)}`);
  for (const { address, reading } of otherAddresses) {
    const came = `${isOfService(reading) ? "an" : "no"} account service answers`;
    yield { check: "other-address", mark: "notice", asked: `GET ${address}/api/accounting/roles`, came };
  }
}

/** A service that refuses a key or asks to wait is there. */
function isOfService(reading: Result<unknown, Failure>): boolean {
  return reading.ok || isRefusedAccess(reading.error) || reading.error.code === "service-error";
}

function* keyChecks({ roles, key, pullRequest, list }: DoctorObservations): Checks {
  const asked = `the key of ${key.from}`;
  if (roles.ok) yield answer("key", asked, "can read; doctor does not test changes");
  else if (isRefusedAccess(roles.error)) yield failed("key", asked, roles.error);
  if (roles.ok || roles.error.code === "forbidden") yield answer("key-owner", "of the key", describeOwner(key));
  if (pullRequest === undefined || list === undefined) return;
  // Who opens a pull request decides what runs in its job, and so what becomes of the key in it.
  const [came, means] = riskInPullRequest(key);
  const gets = "an administrator's key in the job of a pull request";
  yield answer("key-in-pull-request", gets, `${came} (${pullRequest})`, means);
}

function describeOwner({ prefix, owner, privilegedRoles }: DoctorObservations["key"]): string {
  if (prefix === undefined) return "unknown: the key has no prefix before a dot";
  if (owner === undefined) return "not shown";
  const { email, roles } = owner;
  if (roles === undefined) return `${email}, roles not shown`;
  const isAdmin = roles.some((role) => privilegedRoles.includes(role));
  return `${email}, ${formatRoles(roles)}${isAdmin ? "" : ": no administrator role that roster knows"}`;
}

function riskInPullRequest({ owner, privilegedRoles }: DoctorObservations["key"]): Came {
  const instead = "Plan from a snapshot: `roster plan --from FILE`, see docs/ci.md. Or use a key that can only read.";
  const unknown = `This job belongs to a pull request. Check in the service that this key has no administrator role. If it has one: ${instead}`;
  const risk = `A pull request can change what this job runs, and so use the key to change the service. ${instead}`;
  if (owner?.roles === undefined) return ["unknown", unknown];
  const admin = owner.roles.filter((role) => privilegedRoles.includes(role));
  return admin.length === 0 ? ["no"] : [`yes: ${formatRoles(admin)}`, risk];
}

function* accountChecks({ accounts, details, roles }: DoctorObservations): Checks {
  if (accounts !== undefined) {
    const means = "It is unknown which accounts the key can see. A plan needs only the accounts of the roster.";
    const none = "The key sees no account. Name one with --account, or use the key of an administrator.";
    const came: Came = accounts.ok ? listed(accounts.value, "account", none) : [describeFailure(accounts.error), means];
    yield answer("accounts", "GET /api/accounting/accounts", ...came);
  }
  const wrong = "Correct the account, such as with --account. The line `accounts` lists those that the key can see.";
  for (const { account, reading } of details) {
    const asked = `GET /api/accounting/accounts/${account}`;
    const isUnknown = !reading.ok && reading.error.code === "not-found" && roles.ok && accounts?.ok === true;
    if (isUnknown) yield failed("account", asked, reading.error, wrong);
    else yield checkReading("account", asked, reading, describeAccount);
  }
  const none = "A roster can use no role here. Check what the key can see.";
  if (roles.ok) yield answer("roles", "GET /api/accounting/roles", ...listed(roles.value, "role", none));
}

function describeAccount({ status, members, membersCut }: ObservedAccount): Came {
  const some = members && `${membersCut ? "only " : ""}${formatCount(members.length, "user")} shown`;
  const came = `${status === undefined ? "no status" : status}, ${some ?? "users not shown"}`;
  const isActive = status === undefined || accountStatus(status) === "active";
  return isActive ? [came] : [came, `roster creates nothing in an account that is ${status}.`];
}

/** `2 roles: A and B`, of many the first; or that there are none, and what that means. */
function listed(things: readonly { readonly identifier: string }[], what: string, none: string): Came {
  const names = things.map(({ identifier }) => identifier);
  if (names.length === 0) return [`no ${what}s`, none];
  return [`${formatCount(names.length, what)}: ${truncateList(names, 12)}`];
}

function* listChecks({ list, search, capabilities }: DoctorObservations): Checks {
  if (list !== undefined)
    yield checkReading("users", "GET /api/accounting/users", list, ({ users, requests, everyone }) => {
      const came = `${formatCount(users, "user")} with ${formatCount(requests, "request")}`;
      if (everyone.read !== "incomplete") return [came];
      const incomplete = `The list is incomplete: ${everyone.why}. Until it is complete, roster creates no users and no teams. Check that the key can see all users, and how the service splits the list into pages.`;
      return [came, incomplete];
    });
  if (list?.ok === true && capabilities !== undefined) {
    const { firstPage, largestPage } = capabilities.paging;
    const size = largestPage === undefined ? "" : `; no page has more than ${formatCount(largestPage, "row")}`;
    yield answer("paging", "pages of lists", `${firstPages[firstPage]}${size}`);
  }
  if (search === undefined) return;
  yield checkReading("search", `for ${search.email}, a listed user`, search.reading, (found) => foundBySearch[found]);
}

const firstPages: Readonly<Record<Capabilities["paging"]["firstPage"], string>> = {
  "0": "page=0 is the first page",
  "1": "page=1 is the first page; page=0 does not exist",
  "0-and-1-alike": "page=0 and page=1 are both the first page",
  unknown: "unknown: one page, or all pages are the same",
};

const foundBySearch: Readonly<Record<SearchCheck, Came>> = {
  found: ["only this user"],
  "found-among-others": ["this user and similar users"],
  "not-found": [
    "no user",
    "The search does not find a known user. It cannot prove that a user is absent, so roster creates no users with it.",
  ],
};

function* capabilityChecks({ capabilities: shown, unread = [] }: DoctorObservations): Checks {
  if (shown === undefined) return;
  for (const of of capabilities) {
    const [is, [asked, hidden]] = [shown[of], capabilityTexts[of]];
    const check = publishedName(of).replaceAll("_", "-");
    if (is === "hidden") yield answer(check, asked, "not shown", hidden);
    else yield answer(check, asked, is === "unknown" ? "unknown: no user in the answers has it" : is);
  }
  // Fields that look like what is not shown: then the settings can say where it is.
  const missed = capability.relevantUnreadFields(unread, shown);
  if (missed.length === 0) return;
  const asked = "fields of users and keys that roster does not read";
  const means = `They look like facts that roster did not find. If they are, add this line to the settings file: service: { shapes: { ${capability.suggestedShapes(missed).join(", ")} } }`;
  yield answer("unread-fields", asked, joinList(capability.unreadFieldNames(missed)), means);
}

type Capability = Exclude<keyof Capabilities, "paging">;

const capabilities: readonly Capability[] = ["keysOnUsers", "rolesOnKeys", "teamsOnKeys", "titles", "totals"];

const capabilityTexts: Readonly<Record<Capability, readonly [asked: string, hidden?: string]>> = {
  keysOnUsers: [
    "the keys of users",
    "roster takes memberships and prefixes from the state and from `key:` in the roster. Earlier members become findings.",
  ],
  rolesOnKeys: ["the roles of keys", "roster compares roles with its last change. It cannot see changes of others."],
  teamsOnKeys: [
    "the teams of keys",
    "roster cannot prove that a team is absent. Write its `identifier`, or pass the `--allow unproven-absence:…` that a plan prints.",
  ],
  titles: ["the titles of users", "roster does not compare titles."],
  totals: ["the total number of rows in a list"],
};

/** As far as the state remembers: a doctor writes nothing. */
function* writeChecks({ writes }: DoctorObservations): Checks {
  if (writes === undefined) return;
  const { learned: { throttling, membersNamedBy } = {}, set } = writes;
  const seconds = Math.round(consistencyWindow(set) / 1000);
  const window = seconds >= 60 && seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
  const from = set === undefined ? "the default" : "set in the settings";
  yield answer("consistency", "how late a change may show", `${window} (${from})`);
  const asked = "calls that the service throttles (429)";
  const readAgain = "roster does not send a throttled create or add again. It reads the outcome.";
  if (throttling === "may-have-effect") yield answer("throttling", asked, "may take effect", readAgain);
  else if (throttling !== undefined) yield answer("throttling", asked, "have no effect");
  if (membersNamedBy === undefined) return;
  const by = membersNamedBy === "email" ? "by their addresses" : "by their identifiers";
  yield answer("member-names", "how calls name new members", by);
}

function* shapeChecks(seen: DoctorObservations): Checks {
  const means = `roster cannot read this answer. If this is the right service, set its fields under \`service.shapes\` in the settings file. See docs/services.md.`;
  const unreadable = readFailures(seen).filter(({ code }) => code === "misunderstood");
  const misunderstood = new Set(unreadable.map(({ request }) => request));
  const shown = new Set<string>();
  for (const { request, status, shape } of seen.answers) {
    if (shown.has(request) || status >= 300) continue;
    shown.add(request);
    const read = answer("shape", request, `${status}, ${shape}`);
    yield misunderstood.has(request) ? { ...read, mark: "problem", means } : read;
  }
}

const maxClockSkew = 5;

/** Waiting for what was done a moment ago, and certificates, rest on clocks that agree. */
function* clockChecks({ answers }: DoctorObservations): Checks {
  if (answers.length === 0) return;
  const asked = "the clock of the service (Date header)";
  const skews = answers
    .map(({ at, date }) => Math.round((Date.parse(date ?? "") - at) / 1000))
    .filter((skew) => !Number.isNaN(skew));
  const [skew] = skews.sort((a, b) => Math.abs(a) - Math.abs(b));
  if (skew === undefined) return yield answer("clock", asked, "no date");
  const came = skew === 0 ? "same as this machine" : `${Math.abs(skew)} s ${skew > 0 ? "ahead" : "behind"}`;
  const wrong = "One of the two clocks is wrong: times in the log and the service differ. Set this machine's clock.";
  yield answer("clock", asked, came, Math.abs(skew) <= maxClockSkew ? undefined : wrong);
}

const checkInks: Readonly<Record<DoctorCheck["mark"], t.Ink>> = { ok: "add", notice: "change", problem: "alarm" };

export function doctorContent({ service, settings, checks }: DoctorReport): t.Content {
  // The whole value is in the JSON document.
  const rows = settings.map(({ name, value, from }) => {
    return [[name], [truncateText(value, 60)], [from.kind === "settings" ? formatPlace(from.place) : from.name]];
  });
  const table = t.table(["setting", "value", "from"], rows);
  const shown = { title: t.words("Settings"), is: "folded", blocks: table } as const;
  // The fields of answers help only where one of them cannot be read.
  const isUnread = checks.some(({ check, mark }) => check === "shape" && mark !== "ok");
  const told = isUnread ? checks : checks.filter(({ check }) => check !== "shape");
  const entries = told.map(({ check, mark, asked, came, means }) =>
    t.entry([`${asked}: ${came}`], {
      about: [t.inked(checkInks[mark], mark.padEnd(7)), `  ${check}`],
      notes: means === undefined ? [] : [t.sentence(means)],
      labels: [mark],
    }),
  );
  const sections = [shown, t.part(undefined, t.entriesOf(entries))];
  if (service === undefined) return { sections };
  const count = (mark: DoctorCheck["mark"]) => checks.filter((check) => check.mark === mark).length;
  const found = formatCounts([count("problem"), "problem"], [count("notice"), "notice"]);
  const result = found.length === 0 ? "No problems with the service" : `Found ${joinList(found)}`;
  const summary = [t.sentence(`${result}. doctor changed nothing.`, "strong")];
  return { heading: t.phrase`The service at ${service}`, summary, sections };
}
