import {
  consistencyWindow,
  relevantUnreadFields,
  suggestedShapesLine,
  unreadFieldNames,
} from "../../model/capabilities.ts";
import { accountStatus } from "../../model/key.ts";
import type { Capabilities, Paging, Visibility, WriteBehaviour } from "../../model/recorded.ts";
import type { ObservedAccount } from "../../model/snapshot.ts";
import { formatCount, formatList } from "../phrases.ts";
import {
  type DoctorCheck,
  type DoctorObservations,
  describeFailure,
  readFailures,
  type SearchCheck,
  suggestFix,
} from "./observations.ts";

export function checkAccounts({ accounts }: DoctorObservations): readonly DoctorCheck[] {
  if (accounts === undefined) return [];
  const asked = "GET /api/accounting/accounts";
  if (!accounts.ok) {
    const means = "It is unknown which accounts the key can see. A plan needs only the accounts of the roster.";
    return [{ check: "accounts", mark: "notice", asked, came: describeFailure(accounts.error), means }];
  }
  const names = accounts.value.map(({ identifier }) => identifier);
  const came = names.length === 0 ? "no accounts" : `${formatCount(names.length, "account")}: ${truncateNames(names)}`;
  const means =
    names.length === 0
      ? "The key sees no account. Name one with --account, or use the key of an administrator."
      : "A roster can use any of them as its account.";
  return [{ check: "accounts", mark: names.length === 0 ? "notice" : "ok", asked, came, means }];
}

export function checkAccountDetails({ details }: DoctorObservations): readonly DoctorCheck[] {
  return details.map(({ account, reading }) => {
    const asked = `GET /api/accounting/accounts/${account}`;
    if (!reading.ok) {
      return {
        check: "account",
        mark: "problem",
        asked,
        came: describeFailure(reading.error),
        means: suggestFix(reading.error),
      };
    }
    const { status, members } = reading.value;
    const isClosed = status !== undefined && accountStatus(status) !== "active";
    const shown = members === undefined ? "users not shown" : `${formatCount(members.length, "user")} shown`;
    const came = `${status === undefined ? "no status" : `status ${status}`}, ${shown}`;
    return {
      check: "account",
      mark: isClosed ? "notice" : "ok",
      asked,
      came,
      means: accountMeaning(reading.value, isClosed),
    };
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
  const names = roles.value.map(({ identifier }) => identifier);
  const came = names.length === 0 ? "no roles" : `${formatCount(names.length, "role")}: ${truncateNames(names)}`;
  const means =
    names.length === 0
      ? "A roster can use no role here. Check what the key can see."
      : "Roles in the roster must match these exactly. Upper and lower case matter.";
  return [{ check: "roles", mark: names.length === 0 ? "notice" : "ok", asked, came, means }];
}

function truncateNames(names: readonly string[]): string {
  const most = 12;
  return names.length <= most
    ? formatList(names)
    : `${names.slice(0, most).join(", ")} and ${names.length - most} more`;
}

export function checkUsers({ list, capabilities }: DoctorObservations): readonly DoctorCheck[] {
  if (list === undefined) return [];
  const asked = "GET /api/accounting/users, page by page";
  if (!list.ok) {
    return [
      { check: "users", mark: "problem", asked, came: describeFailure(list.error), means: suggestFix(list.error) },
    ];
  }
  const { users, requests, everyone } = list.value;
  const came = `${formatCount(users, "user")} with ${formatCount(requests, "request")}`;
  if (everyone.read !== "incomplete") {
    return [
      {
        check: "users",
        mark: "ok",
        asked,
        came,
        means: completeListMeanings[capabilities?.teamsOnKeys ?? "unknown"],
      },
    ];
  }
  const means =
    `The list is incomplete: ${everyone.why}. Until it is complete, roster creates no users and no teams. ` +
    "Check that the key can see all users, and how the service splits the list into pages.";
  return [{ check: "users", mark: "notice", asked, came, means }];
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
  const size = largestPage === undefined ? "" : `; at most ${formatCount(largestPage, "row")} on a page of 100`;
  const clamp =
    largestPage === undefined ? "" : " Pages are smaller than requested, so a short page may not be the last one.";
  const check = { check: "paging", mark: "ok", asked: "the number of the first page, and the page size" } as const;
  return [
    { ...check, came: `${firstPagePhrases[firstPage]}${size}`, means: `${firstPageMeanings[firstPage]}${clamp}` },
  ];
}

const firstPagePhrases: Readonly<Record<Paging["firstPage"], string>> = {
  "0": "page 0 is the first",
  "1": "page 1 is the first, and there is no page 0",
  "0-and-1-alike": "pages 0 and 1 are the same",
  unknown: "one page, or pages without differences",
};

const firstPageMeanings: Readonly<Record<Paging["firstPage"], string>> = {
  "0": "roster reads pages from 0.",
  "1": "roster reads pages from 1.",
  "0-and-1-alike": "roster reads pages from 1.",
  unknown: "It is unknown how the service counts pages. roster finds out with each list.",
};

export function checkSearch({ search }: DoctorObservations): readonly DoctorCheck[] {
  if (search === undefined) return [];
  const { email, reading } = search;
  const asked = `POST /api/accounting/users/search for ${email}, a user of the list`;
  if (!reading.ok) {
    return [
      {
        check: "search",
        mark: "problem",
        asked,
        came: describeFailure(reading.error),
        means: suggestFix(reading.error),
      },
    ];
  }
  const mark = reading.value === "not-found" ? "notice" : "ok";
  return [{ check: "search", mark, asked, came: searchPhrases[reading.value], means: searchMeanings[reading.value] }];
}

const searchPhrases: Readonly<Record<SearchCheck, string>> = {
  found: "only this user",
  "found-among-others": "this user and similar users",
  "not-found": "no user",
};

const searchMeanings: Readonly<Record<SearchCheck, string>> = {
  found: "The search finds a known user, so it can prove that another is absent.",
  "found-among-others":
    "The search is fuzzy. roster ignores similar users, and proves an absence with a second search.",
  "not-found":
    "The search does not find a known user. It cannot prove that a user is absent, so roster creates no users with it.",
};

type ShownCapability = Exclude<keyof Capabilities, "paging">;

/** What a plan can know of this service, and on what it rests where the service does not show it. */
export function checkCapabilities({ capabilities }: DoctorObservations): readonly DoctorCheck[] {
  if (capabilities === undefined) return [];
  return capabilityQuestions.map(({ of, check, asked, shown, hidden }) => {
    const is = capabilities[of];
    const means = is === "shown" ? shown : is === "hidden" ? hidden : "Unknown: no user in the answers has it.";
    return { check, mark: is === "hidden" && of !== "totals" ? "notice" : "ok", asked, came: shownPhrases[is], means };
  });
}

const shownPhrases: Readonly<Record<Visibility, string>> = {
  shown: "shown",
  hidden: "not shown",
  unknown: "unknown",
};

const capabilityQuestions: readonly {
  readonly of: ShownCapability;
  readonly check: string;
  readonly asked: string;
  readonly shown: string;
  readonly hidden: string;
}[] = [
  {
    of: "keysOnUsers",
    check: "keys-on-users",
    asked: "the keys of users",
    shown: "roster reads memberships and prefixes from the service.",
    hidden:
      "roster takes memberships and prefixes from the state and from `key:` in the roster. Earlier members become findings.",
  },
  {
    of: "rolesOnKeys",
    check: "roles-on-keys",
    asked: "the roles of keys",
    shown: "roster compares roles with the service.",
    hidden: "roster compares roles with its last change. It cannot see changes of others.",
  },
  {
    of: "teamsOnKeys",
    check: "teams-on-keys",
    asked: "the teams of keys",
    shown: "If all users were read, a team without keys is absent.",
    hidden:
      "roster cannot prove that a team is absent. Write its `identifier`, or pass the `--allow unproven-absence:…` that a plan prints.",
  },
  {
    of: "titles",
    check: "titles",
    asked: "the titles of users",
    shown: "A different title is a finding.",
    hidden: "roster does not compare titles.",
  },
  {
    of: "totals",
    check: "totals",
    asked: "the total number of rows in a list",
    shown: "If a list has fewer rows than its total, it is incomplete.",
    hidden: "A list is complete if its pages have a clear end.",
  },
];

/** Fields that look like what is not shown: then the settings can say where it is. */
export function checkUnreadFields({ capabilities, unread = [] }: DoctorObservations): readonly DoctorCheck[] {
  const missed = capabilities === undefined ? [] : relevantUnreadFields(unread, capabilities);
  if (missed.length === 0) return [];
  return [
    {
      check: "unread-fields",
      mark: "notice",
      asked: "fields of users and keys that roster does not read",
      came: formatList(unreadFieldNames(missed)),
      means: `They look like facts that roster did not find. If they are, add to the settings (in CI: outside the checkout): ${suggestedShapesLine(missed)}`,
    },
  ];
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
    const isRead = !misunderstood.has(request);
    const means = isRead ? "roster can read this answer." : unreadShapeMeaning;
    return { check: "shape", mark: isRead ? "ok" : "problem", asked: request, came: `${status}, ${shape}`, means };
  });
}

const unreadShapeMeaning =
  "roster cannot read this answer. If this is the right service, set its fields under `service.shapes` in the settings (in CI: outside the checkout). See docs/services.md.";

/** How the service takes writes, as far as the state remembers: a doctor writes nothing. */
export function checkWrites({ writes }: DoctorObservations): readonly DoctorCheck[] {
  if (writes === undefined) return [];
  const { learned = {}, set } = writes;
  return [checkConsistency(set), ...checkThrottling(learned), ...checkMemberNames(learned)];
}

function checkConsistency(set: number | undefined): DoctorCheck {
  const window = formatSpan(consistencyWindow(set));
  return {
    check: "consistency",
    mark: "ok",
    asked: "how long reads may not show a change",
    came: `${window} (${set === undefined ? "the default" : "set in the settings"})`,
    means: `If reads do not show a change after ${window}, it was not made.`,
  };
}

function checkThrottling({ throttling }: WriteBehaviour): readonly DoctorCheck[] {
  if (throttling === undefined) return [];
  const hasEffect = throttling === "may-have-effect";
  return [
    {
      check: "throttling",
      mark: hasEffect ? "notice" : "ok",
      asked: "if a throttled write took effect",
      came: hasEffect ? "yes" : "no",
      means: hasEffect
        ? "roster does not send a throttled create or add again. It reads the outcome."
        : "roster sends a throttled write again after the time that the service gives.",
    },
  ];
}

function checkMemberNames({ membersNamedBy }: WriteBehaviour): readonly DoctorCheck[] {
  if (membersNamedBy === undefined) return [];
  const came = membersNamedBy === "email" ? "by their addresses" : "by their identifiers";
  return [
    {
      check: "member-names",
      mark: "ok",
      asked: "how calls name new members",
      came,
      means: `roster names new members ${came}.`,
    },
  ];
}

function formatSpan(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds >= 60 && seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}
