import { formatCount, joinList, truncateList } from "../../codes/message.ts";
import {
  consistencyWindow,
  relevantUnreadFields,
  suggestedShapesLine,
  unreadFieldNames,
} from "../../model/capabilities.ts";
import { accountStatus } from "../../model/key.ts";
import type { Capabilities, Paging, Visibility } from "../../model/recorded.ts";
import type { ObservedAccount } from "../../model/snapshot.ts";
import {
  checked,
  type DoctorCheck,
  type DoctorObservations,
  describeFailure,
  failedCheck,
  readFailures,
  type SearchCheck,
} from "./observations.ts";

export function checkAccounts({ accounts }: DoctorObservations): readonly DoctorCheck[] {
  if (accounts === undefined) return [];
  const asked = "GET /api/accounting/accounts";
  if (!accounts.ok) {
    const means = "It is unknown which accounts the key can see. A plan needs only the accounts of the roster.";
    return [checked("accounts", asked, "notice", describeFailure(accounts.error), means)];
  }
  if (accounts.value.length === 0) {
    const means = "The key sees no account. Name one with --account, or use the key of an administrator.";
    return [checked("accounts", asked, "notice", "no accounts", means)];
  }
  return [
    checked("accounts", asked, "ok", listed(accounts.value, "account"), "A roster can use any of them as its account."),
  ];
}

export function checkAccountDetails({ details }: DoctorObservations): readonly DoctorCheck[] {
  return details.map(({ account, reading }) => {
    const asked = `GET /api/accounting/accounts/${account}`;
    if (!reading.ok) return failedCheck("account", asked, reading.error);
    const { status, members } = reading.value;
    const isClosed = status !== undefined && accountStatus(status) !== "active";
    const shown = members === undefined ? "users not shown" : `${formatCount(members.length, "user")} shown`;
    const came = `${status === undefined ? "no status" : `status ${status}`}, ${shown}`;
    return checked("account", asked, isClosed ? "notice" : "ok", came, accountMeaning(reading.value, isClosed));
  });
}

function accountMeaning({ members, membersCut, status }: ObservedAccount, isClosed: boolean): string {
  const closed = isClosed ? `roster creates nothing in an account that is ${status}. ` : "";
  if (members === undefined)
    return `${closed}The details show no users. roster knows them from searches and the list of users.`;
  if (membersCut) return `${closed}The details do not show all users, so they cannot prove that a user is absent.`;
  return `${closed}roster compares these users with searches and the list of users.`;
}

export function checkRoles({ roles }: DoctorObservations): readonly DoctorCheck[] {
  const asked = "GET /api/accounting/roles";
  if (!roles.ok) return [];
  if (roles.value.length === 0) {
    const means = "A roster can use no role here. Check what the key can see.";
    return [checked("roles", asked, "notice", "no roles", means)];
  }
  const means = "Roles in the roster must match these exactly. Upper and lower case matter.";
  return [checked("roles", asked, "ok", listed(roles.value, "role"), means)];
}

/** `2 roles: A and B`, of many the first. */
function listed(things: readonly { readonly identifier: string }[], what: string): string {
  const names = things.map(({ identifier }) => identifier);
  return `${formatCount(names.length, what)}: ${truncateList(names, 12)}`;
}

export function checkUsers({ list, capabilities }: DoctorObservations): readonly DoctorCheck[] {
  if (list === undefined) return [];
  const asked = "GET /api/accounting/users, page by page";
  if (!list.ok) return [failedCheck("users", asked, list.error)];
  const { users, requests, everyone } = list.value;
  const came = `${formatCount(users, "user")} with ${formatCount(requests, "request")}`;
  if (everyone.read !== "incomplete")
    return [checked("users", asked, "ok", came, completeListMeanings[capabilities?.teamsOnKeys ?? "unknown"])];
  const means =
    `The list is incomplete: ${everyone.why}. Until it is complete, roster creates no users and no teams. ` +
    "Check that the key can see all users, and how the service splits the list into pages.";
  return [checked("users", asked, "notice", came, means)];
}

/** Only keys that show their teams say of a team that it is not there. */
const completeListMeanings: Readonly<Record<Visibility, string>> = {
  shown: "The list is complete, so it can prove that a team is absent.",
  hidden: "The list is complete. It cannot prove that a team is absent, because keys do not show their teams.",
  unknown: "The list is complete. No key shows yet if it can prove that a team is absent.",
};

export function checkPaging({ list, capabilities }: DoctorObservations): readonly DoctorCheck[] {
  if (list === undefined || !list.ok || capabilities === undefined) return [];
  const { firstPage, largestPage } = capabilities.paging;
  const [came, means] = firstPages[firstPage];
  const asked = "the number of the first page, and the page size";
  if (largestPage === undefined) return [checked("paging", asked, "ok", came, means)];
  const size = `${came}; at most ${formatCount(largestPage, "row")} on a page of 100`;
  const clamped = `${means} Pages are smaller than requested, so a short page may not be the last one.`;
  return [checked("paging", asked, "ok", size, clamped)];
}

type AnswerAndMeaning = readonly [came: string, means: string];

const firstPages: Readonly<Record<Paging["firstPage"], AnswerAndMeaning>> = {
  "0": ["page 0 is the first", "roster reads pages from 0."],
  "1": ["page 1 is the first, and there is no page 0", "roster reads pages from 1."],
  "0-and-1-alike": ["pages 0 and 1 are the same", "roster reads pages from 1."],
  unknown: [
    "one page, or pages without differences",
    "It is unknown how the service counts pages. roster finds out with each list.",
  ],
};

export function checkSearch({ search }: DoctorObservations): readonly DoctorCheck[] {
  if (search === undefined) return [];
  const { email, reading } = search;
  const asked = `POST /api/accounting/users/search for ${email}, a user of the list`;
  if (!reading.ok) return [failedCheck("search", asked, reading.error)];
  return [checked("search", asked, reading.value === "not-found" ? "notice" : "ok", ...searches[reading.value])];
}

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

/** What a plan can know of this service, and on what it rests where the service does not show it. */
export function checkCapabilities({ capabilities }: DoctorObservations): readonly DoctorCheck[] {
  if (capabilities === undefined) return [];
  return capabilityQuestions.map(([of, check, asked, shown, hidden]) => {
    const is = capabilities[of];
    if (is === "unknown") return checked(check, asked, "ok", is, "Unknown: no user in the answers has it.");
    if (is === "shown") return checked(check, asked, "ok", is, shown);
    return checked(check, asked, of === "totals" ? "ok" : "notice", "not shown", hidden);
  });
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

/** Fields that look like what is not shown: then the settings can say where it is. */
export function checkUnreadFields({ capabilities, unread = [] }: DoctorObservations): readonly DoctorCheck[] {
  const missed = capabilities === undefined ? [] : relevantUnreadFields(unread, capabilities);
  if (missed.length === 0) return [];
  const asked = "fields of users and keys that roster does not read";
  const means = `They look like facts that roster did not find. If they are, add to the settings (in CI: outside the checkout): ${suggestedShapesLine(missed)}`;
  return [checked("unread-fields", asked, "notice", joinList(unreadFieldNames(missed)), means)];
}

/** The shapes of the answers, once for each request. */
export function checkResponseShapes(seen: DoctorObservations): readonly DoctorCheck[] {
  const misunderstood = new Set(
    readFailures(seen).flatMap(({ code, request }) => (code === "misunderstood" ? [request] : [])),
  );
  const first = new Map<string, DoctorObservations["answers"][number]>();
  for (const answer of seen.answers) {
    if (!first.has(answer.request) && answer.status < 300) first.set(answer.request, answer);
  }
  return [...first.values()].map(({ request, status, shape }) => {
    const came = `${status}, ${shape}`;
    return misunderstood.has(request)
      ? checked("shape", request, "problem", came, unreadShapeMeaning)
      : checked("shape", request, "ok", came, "roster can read this answer.");
  });
}

const unreadShapeMeaning =
  "roster cannot read this answer. If this is the right service, set its fields under `service.shapes` in the settings (in CI: outside the checkout). See docs/services.md.";

/** How the service takes writes, as far as the state remembers: a doctor writes nothing. */
export function checkWrites({ writes }: DoctorObservations): readonly DoctorCheck[] {
  if (writes === undefined) return [];
  const { learned: { throttling, membersNamedBy } = {}, set } = writes;
  const window = formatSpan(consistencyWindow(set));
  const from = set === undefined ? "the default" : "set in the settings";
  const shownLater = "how long reads may not show a change";
  const means = `If reads do not show a change after ${window}, it was not made.`;
  const asked = "if a throttled write took effect";
  const sentAgain = "roster sends a throttled write again after the time that the service gives.";
  const readAgain = "roster does not send a throttled create or add again. It reads the outcome.";
  const by = membersNamedBy === "email" ? "by their addresses" : "by their identifiers";
  const named = "how calls name new members";
  return [
    checked("consistency", shownLater, "ok", `${window} (${from})`, means),
    ...(throttling === undefined
      ? []
      : throttling === "may-have-effect"
        ? [checked("throttling", asked, "notice", "yes", readAgain)]
        : [checked("throttling", asked, "ok", "no", sentAgain)]),
    ...(membersNamedBy === undefined
      ? []
      : [checked("member-names", named, "ok", by, `roster names new members ${by}.`)]),
  ];
}

function formatSpan(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds >= 60 && seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}
