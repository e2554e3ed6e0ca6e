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
  type DoctorCheck,
  type DoctorObservations,
  type DoctorReport,
  describeFailure,
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
  if (end === undefined || now <= Date.parse(`${end}T23:59:59Z`)) {
    const until = end === undefined ? "" : ` It gets security updates until ${end}.`;
    return [{ check: "node", mark: "ok", asked, came: node, means: `roster supports it.${until}` }];
  }
  const means = `roster supports it, but Node ${major} has no security updates since ${end}. Install Node 24.`;
  return [{ check: "node", mark: "notice", asked, came: node, means }];
}

/** Shown only where the connection is not direct. */
function checkConnection({ way }: DoctorObservations): readonly DoctorCheck[] {
  const { proxy, authorities } = way ?? {};
  if (proxy === undefined && authorities === undefined) return [];
  const by = proxy === undefined ? "directly" : `through the proxy ${proxy}`;
  const came = authorities === undefined ? by : `${by}; roster also trusts the authorities in ${authorities}`;
  const means = "A proxy sees only the host and the port of the service, not the requests or the key.";
  return [{ check: "way", mark: "ok", asked: "the connection to the service", came, means }];
}

const maxClockSkew = 5;

/** Waiting for what was done a moment ago, and certificates, rest on clocks that agree. */
function checkClock({ answers }: DoctorObservations): readonly DoctorCheck[] {
  const asked = "the clock of the service (Date header)";
  const skews = answers.flatMap(({ at, date }) => {
    const time = Date.parse(date ?? "");
    return Number.isNaN(time) ? [] : [Math.round((time - at) / 1000)];
  });
  const [skew] = skews.sort((a, b) => Math.abs(a) - Math.abs(b));
  if (skew === undefined) {
    if (answers.length === 0) return [];
    const means = "It is unknown if the clocks agree. roster does not need it.";
    return [{ check: "clock", mark: "ok", asked, came: "no date", means }];
  }
  const isFar = Math.abs(skew) > maxClockSkew;
  const came = skew === 0 ? "the same time as this machine" : `${Math.abs(skew)} s ${skew > 0 ? "ahead" : "behind"}`;
  const means = isFar
    ? "One of the two clocks is wrong, so times in the state and in the service differ. Set the clock of this machine."
    : "The clocks agree.";
  return [{ check: "clock", mark: isFar ? "notice" : "ok", asked, came, means }];
}

/** The configured address, then those that were tried in its place. */
function checkAddress(seen: DoctorObservations): readonly DoctorCheck[] {
  const { endpoint, address, roles } = seen;
  const asked = `GET ${address}/api/accounting/roles`;
  const failure = roles.ok ? undefined : roles.error;
  if (failure === undefined || isServiceAnswer(failure)) {
    const came = failure === undefined ? "an answer of an account service" : `an answer (${failure.status})`;
    const means = `This is the base address of an account service. Calls go to ${address}/api.${formatDroppedSuffix(endpoint, address)}`;
    return [{ check: "base-address", mark: "ok", asked, came, means }];
  }
  const works = seen.otherAddresses.find(hasAnswered);
  const nobody = failure.code === "misunderstood" ? "" : "No account service answers here. ";
  const means =
    works === undefined
      ? `${nobody}${suggestFix(failure)}`
      : `Set the endpoint to ${works.endpoint}. The service answers there.`;
  return [
    { check: "base-address", mark: "problem", asked, came: describeFailure(failure), means },
    ...seen.otherAddresses.map(otherAddress),
  ];
}

function otherAddress(other: OtherAddress): DoctorCheck {
  const asked = `GET ${other.address}/api/accounting/roles`;
  const isThere = hasAnswered(other);
  return {
    check: "other-address",
    mark: isThere ? "notice" : "ok",
    asked,
    came: other.reading.ok ? "an answer of an account service" : describeFailure(other.reading.error),
    means: isThere ? "An account service answers here." : "No account service answers here either.",
  };
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
    return [{ check: "key", mark: "ok", asked, came: "yes", means }, ...checkKeyOwner(seen)];
  }
  if (!isRefusedAccess(roles.error)) return [];
  const means = suggestFix(roles.error);
  return [
    { check: "key", mark: "problem", asked, came: describeFailure(roles.error), means },
    ...(roles.error.code === "forbidden" ? checkKeyOwner(seen) : []),
  ];
}

function checkKeyOwner({ key }: DoctorObservations): readonly DoctorCheck[] {
  const { prefix, shown } = key;
  const asked =
    prefix === undefined ? "the owner and the roles of the key" : `the owner and the roles of the key ${prefix}`;
  const check = { check: "key-owner", mark: "ok", asked } as const;
  if (prefix === undefined) {
    const means = "roster cannot find the key among the keys of users. Check its roles in the service.";
    return [{ ...check, came: "unknown: the key has no prefix before a dot", means }];
  }
  if (shown === undefined) {
    const means = "No answer shows this key. Check its roles in the service.";
    return [{ ...check, came: "not shown", means }];
  }
  const { email, roles } = shown;
  if (roles === undefined) {
    const means = "The service does not show the roles of keys. Check them in the service.";
    return [{ ...check, came: `${email}, roles not shown`, means }];
  }
  const admin = adminRoles(key);
  const means =
    admin.length === 0
      ? "It has no administrator role that roster knows. The service may refuse changes. If its role may make them, add the role to `guards.privileged-roles` in the settings (in CI: outside the checkout)."
      : "This is the key of an administrator: it can change users, teams and keys.";
  return [{ ...check, came: `${email}, ${formatRoles(roles)}`, means }];
}

/** Those of the key's shown roles that make an administrator. */
function adminRoles({ shown, privilegedRoles }: DoctorObservations["key"]): RoleSet {
  return shown?.roles?.filter((role) => privilegedRoles.includes(role)) ?? [];
}

/** Who opens a pull request decides what runs in its job, and so what becomes of the key in it. */
function checkKeyInPullRequest({ key, pullRequest, list }: DoctorObservations): readonly DoctorCheck[] {
  if (pullRequest === undefined || list === undefined) return [];
  const check = { check: "key-in-pull-request", asked: "if a pull request gets the key of an administrator" } as const;
  const instead =
    "Plan from a snapshot file: `roster plan --from FILE`, see docs/ci.md. Or use a key that can only read.";
  if (key.shown?.roles === undefined) {
    const means = `This job belongs to a pull request. Check in the service that this key has no administrator role. If it has one: ${instead}`;
    return [{ ...check, mark: "notice", came: `unknown (${pullRequest})`, means }];
  }
  const admin = adminRoles(key);
  if (admin.length === 0) {
    const means = "This job belongs to a pull request, and its key has no administrator role.";
    return [{ ...check, mark: "ok", came: `no (${pullRequest})`, means }];
  }
  const means = `A pull request can change what this job runs, and so use the key to change the service. ${instead}`;
  return [{ ...check, mark: "notice", came: `yes: ${formatRoles(admin)} (${pullRequest})`, means }];
}
