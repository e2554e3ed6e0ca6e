import type { Failure } from "../../model/recorded.ts";
import { isRefusedAccess } from "../../model/result.ts";
import { formatRoles, type RoleSet } from "../../model/role-set.ts";
import {
  checkAccountDetails,
  checkAccounts,
  checkCapabilities,
  checkPaging,
  checkResponseShapes,
  checkRoles,
  checkSearch,
  checkUnreadFields,
  checkUsers,
  checkWrites,
} from "./checks.ts";
import {
  checked,
  type DoctorCheck,
  type DoctorObservations,
  type DoctorReport,
  describeFailure,
  failedCheck,
  type OtherAddress,
  readFailures,
  suggestFix,
} from "./observations.ts";

/** The day after which a major version of Node gets no more security updates. */
const endOfLife: ReadonlyMap<number, string> = new Map([
  [20, "2026-04-30"],
  [22, "2027-04-30"],
  [24, "2028-04-30"],
]);

function checkNode({ node, now }: DoctorObservations): readonly DoctorCheck[] {
  const major = Number(/^v?(\d+)\./u.exec(node)?.[1]);
  const end = endOfLife.get(major);
  const asked = "the version of Node.js";
  if (end === undefined) return [checked("node", asked, "ok", node, "roster supports it.")];
  if (now <= Date.parse(`${end}T23:59:59Z`))
    return [checked("node", asked, "ok", node, `roster supports it. It gets security updates until ${end}.`)];
  const means = `roster supports it, but Node ${major} has no security updates since ${end}. Install Node 24.`;
  return [checked("node", asked, "notice", node, means)];
}

/** Shown only where the connection is not direct. */
function checkConnection({ way }: DoctorObservations): readonly DoctorCheck[] {
  const { proxy, authorities } = way ?? {};
  if (proxy === undefined && authorities === undefined) return [];
  const by = proxy === undefined ? "directly" : `through the proxy ${proxy}`;
  const came = authorities === undefined ? by : `${by}; roster also trusts the authorities in ${authorities}`;
  const means = "A proxy sees only the host and the port of the service, not the requests or the key.";
  return [checked("way", "the connection to the service", "ok", came, means)];
}

const maxClockSkew = 5;

/** Waiting for what was done a moment ago, and certificates, rest on clocks that agree. */
function checkClock({ answers }: DoctorObservations): readonly DoctorCheck[] {
  if (answers.length === 0) return [];
  const asked = "the clock of the service (Date header)";
  const skews = answers.flatMap(({ at, date }) => {
    const time = Date.parse(date ?? "");
    return Number.isNaN(time) ? [] : [Math.round((time - at) / 1000)];
  });
  const [skew] = skews.sort((a, b) => Math.abs(a) - Math.abs(b));
  if (skew === undefined)
    return [checked("clock", asked, "ok", "no date", "It is unknown if the clocks agree. roster does not need it.")];
  const came = skew === 0 ? "the same time as this machine" : `${Math.abs(skew)} s ${skew > 0 ? "ahead" : "behind"}`;
  if (Math.abs(skew) <= maxClockSkew) return [checked("clock", asked, "ok", came, "The clocks agree.")];
  const means =
    "One of the two clocks is wrong, so times in the state and in the service differ. Set the clock of this machine.";
  return [checked("clock", asked, "notice", came, means)];
}

/** The configured address, then those that were tried in its place. */
function checkAddress({ endpoint, address, roles, otherAddresses }: DoctorObservations): readonly DoctorCheck[] {
  const asked = `GET ${address}/api/accounting/roles`;
  const failure = roles.ok ? undefined : roles.error;
  if (failure === undefined || isServiceAnswer(failure)) {
    const came = failure === undefined ? serviceAnswer : `an answer (${failure.status})`;
    const means = `This is the base address of an account service. Calls go to ${address}/api.${formatDroppedSuffix(endpoint, address)}`;
    return [checked("base-address", asked, "ok", came, means)];
  }
  const works = otherAddresses.find(hasAnswered);
  const nobody = failure.code === "misunderstood" ? "" : "No account service answers here. ";
  const means =
    works === undefined
      ? `${nobody}${suggestFix(failure)}`
      : `Set the endpoint to ${works.endpoint}. The service answers there.`;
  return [
    checked("base-address", asked, "problem", describeFailure(failure), means),
    ...otherAddresses.map(otherAddress),
  ];
}

const serviceAnswer = "an answer of an account service";

function otherAddress(other: OtherAddress): DoctorCheck {
  const asked = `GET ${other.address}/api/accounting/roles`;
  const came = other.reading.ok ? serviceAnswer : describeFailure(other.reading.error);
  return hasAnswered(other)
    ? checked("other-address", asked, "notice", came, "An account service answers here.")
    : checked("other-address", asked, "ok", came, "No account service answers here either.");
}

function hasAnswered({ reading }: OtherAddress): boolean {
  return reading.ok || isServiceAnswer(reading.error);
}

/** A service that refuses a key or asks to wait is there. */
function isServiceAnswer({ code }: Failure): boolean {
  return code === "unauthorized" || code === "forbidden" || code === "service-error";
}

function formatDroppedSuffix(endpoint: string, address: string): string {
  const given = endpoint.replace(/\/+$/u, "");
  return given.endsWith("/api") && given !== address ? " roster does not repeat the /api of the endpoint." : "";
}

/** Every check, in the order in which it is shown. */
const checks: readonly ((seen: DoctorObservations) => readonly DoctorCheck[])[] = [
  checkNode,
  checkConnection,
  checkAddress,
  checkKey,
  checkKeyInPullRequest,
  checkAccounts,
  checkAccountDetails,
  checkRoles,
  checkUsers,
  checkPaging,
  checkSearch,
  checkCapabilities,
  checkUnreadFields,
  checkWrites,
  checkResponseShapes,
  checkClock,
];

/** What all that was seen means, one line for each question. */
export function diagnose(seen: DoctorObservations): DoctorReport {
  return {
    service: seen.address,
    settings: seen.settings,
    checks: checks.flatMap((check) => check(seen)),
    ...(seen.capabilities === undefined ? {} : { capabilities: seen.capabilities }),
  };
}

/** The failure for which a plan could not be made of this service, where there is one. */
export function decisiveFailure(seen: DoctorObservations): Failure | undefined {
  return readFailures(seen)[0];
}

function checkKey(seen: DoctorObservations): readonly DoctorCheck[] {
  const { roles, key } = seen;
  const asked = `if the service accepts the key of ${key.from}`;
  if (roles.ok) {
    const means = "The key can read. `doctor` changes nothing, so it cannot check if the key can also write.";
    return [checked("key", asked, "ok", "yes", means), checkKeyOwner(seen)];
  }
  if (!isRefusedAccess(roles.error)) return [];
  const refused = failedCheck("key", asked, roles.error);
  return roles.error.code === "forbidden" ? [refused, checkKeyOwner(seen)] : [refused];
}

function checkKeyOwner({ key }: DoctorObservations): DoctorCheck {
  const { prefix, shown } = key;
  const asked = `the owner and the roles of the key${prefix === undefined ? "" : ` ${prefix}`}`;
  const is = (came: string, means: string) => checked("key-owner", asked, "ok", came, means);
  if (prefix === undefined)
    return is(
      "unknown: the key has no prefix before a dot",
      "roster cannot find the key among the keys of users. Check its roles in the service.",
    );
  if (shown === undefined) return is("not shown", "No answer shows this key. Check its roles in the service.");
  const { email, roles } = shown;
  if (roles === undefined)
    return is(`${email}, roles not shown`, "The service does not show the roles of keys. Check them in the service.");
  const means =
    adminRoles(key).length === 0
      ? "It has no administrator role that roster knows. The service may refuse changes. If its role may make them, add the role to `guards.privileged-roles` in the settings (in CI: outside the checkout)."
      : "This is the key of an administrator: it can change users, teams and keys.";
  return is(`${email}, ${formatRoles(roles)}`, means);
}

/** Those of the key's shown roles that make an administrator. */
function adminRoles({ shown, privilegedRoles }: DoctorObservations["key"]): RoleSet {
  return shown?.roles?.filter((role) => privilegedRoles.includes(role)) ?? [];
}

/** Who opens a pull request decides what runs in its job, and so what becomes of the key in it. */
function checkKeyInPullRequest({ key, pullRequest, list }: DoctorObservations): readonly DoctorCheck[] {
  if (pullRequest === undefined || list === undefined) return [];
  const asked = "if a pull request gets the key of an administrator";
  const is = (mark: DoctorCheck["mark"], came: string, means: string) => [
    checked("key-in-pull-request", asked, mark, `${came} (${pullRequest})`, means),
  ];
  const instead =
    "Plan from a snapshot file: `roster plan --from FILE`, see docs/ci.md. Or use a key that can only read.";
  if (key.shown?.roles === undefined) {
    const means = `This job belongs to a pull request. Check in the service that this key has no administrator role. If it has one: ${instead}`;
    return is("notice", "unknown", means);
  }
  const admin = adminRoles(key);
  if (admin.length === 0)
    return is("ok", "no", "This job belongs to a pull request, and its key has no administrator role.");
  const means = `A pull request can change what this job runs, and so use the key to change the service. ${instead}`;
  return is("notice", `yes: ${formatRoles(admin)}`, means);
}
