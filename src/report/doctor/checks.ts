import {
  type Capabilities,
  consistencyWindow,
  type Paging,
  relevantUnreadFields,
  suggestedShapesLine,
  unknownWriteBehaviour,
  unreadFieldNames,
  type Visibility,
  type WriteBehaviour,
} from "../../model/capabilities.ts";
import { isRefusedAccess } from "../../model/result.ts";
import { accountStatus, type ObservedAccount } from "../../model/snapshot.ts";
import { formatCount, formatList } from "../phrases.ts";
import {
  type DoctorCheck,
  type DoctorObservations,
  describeFailure,
  readFailures,
  type SearchCheck,
  suggestFix,
} from "./observations.ts";

export function checkKey({ roles }: DoctorObservations): readonly DoctorCheck[] {
  const asked = "whether the service accepts the key";
  if (roles.ok) {
    const means =
      "The key is accepted for reading. Whether it may also write shows only when it does: the doctor writes nothing.";
    return [{ check: "key", mark: "ok", asked, came: "it does", means }];
  }
  if (!isRefusedAccess(roles.error)) return [];
  return [{ check: "key", mark: "problem", asked, came: describeFailure(roles.error), means: suggestFix(roles.error) }];
}

export function checkAccounts({ accounts }: DoctorObservations): readonly DoctorCheck[] {
  if (accounts === undefined) return [];
  const asked = "GET /api/accounting/accounts";
  if (!accounts.ok) {
    const means = "Which accounts the key may see is not known. A plan needs none but those that the roster names.";
    return [{ check: "accounts", mark: "notice", asked, came: describeFailure(accounts.error), means }];
  }
  const names = accounts.value.map(({ identifier }) => identifier);
  const came = names.length === 0 ? "no accounts" : `${formatCount(names.length, "account")}: ${truncateNames(names)}`;
  const means =
    names.length === 0
      ? "The key sees no account: name one with --account, or use the key of an administrator."
      : "A roster may name any of these as its account.";
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
    const shown = members === undefined ? "its users are not shown" : `${formatCount(members.length, "user")} shown`;
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
  const closed = isClosed ? `Nothing is created in an account that is ${status}. ` : "";
  if (members === undefined)
    return `${closed}Whoever is in this account is known from searches and from the list of users alone.`;
  if (membersCut) return `${closed}The details do not show all users of the account; nobody's absence rests on them.`;
  return `${closed}The users whom it shows are held against searches and against the list of users.`;
}

export function checkRoles({ roles }: DoctorObservations): readonly DoctorCheck[] {
  const asked = "GET /api/accounting/roles";
  if (!roles.ok) return [];
  const names = roles.value.map(({ identifier }) => identifier);
  const came = names.length === 0 ? "no roles" : `${formatCount(names.length, "role")}: ${truncateNames(names)}`;
  const means =
    names.length === 0
      ? "No role of a roster can be right here: check what the key may see."
      : "The roles of a roster are checked against these, letter by letter.";
  return [{ check: "roles", mark: names.length === 0 ? "notice" : "ok", asked, came, means }];
}

function truncateNames(names: readonly string[]): string {
  const most = 12;
  return names.length <= most
    ? formatList(names)
    : `${names.slice(0, most).join(", ")} and ${names.length - most} more`;
}

export function checkUsers({ list }: DoctorObservations): readonly DoctorCheck[] {
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
      { check: "users", mark: "ok", asked, came, means: "The list is complete: it can prove that a team is absent." },
    ];
  }
  const means =
    `The list is not complete: ${everyone.why}. Nobody is created and no team is founded while it is so: ` +
    "check that the key may see every user, and how the service pages.";
  return [{ check: "users", mark: "notice", asked, came, means }];
}

export function checkPaging({ list, capabilities }: DoctorObservations): readonly DoctorCheck[] {
  if (list === undefined || !list.ok || capabilities === undefined) return [];
  const { firstPage, largestPage } = capabilities.paging;
  const size =
    largestPage === undefined
      ? ""
      : `; at most ${formatCount(largestPage, "row")} to a page, of 100 that were asked for`;
  const clamp =
    largestPage === undefined
      ? ""
      : " It gives smaller pages than were asked for; a short page is not taken for the last.";
  const check = { check: "paging", mark: "ok", asked: "the number of the first page, and the largest page" } as const;
  return [
    { ...check, came: `${firstPagePhrases[firstPage]}${size}`, means: `${firstPageMeanings[firstPage]}${clamp}` },
  ];
}

const firstPagePhrases: Readonly<Record<Paging["firstPage"], string>> = {
  "0": "page 0 is the first",
  "1": "page 1 is the first, and there is no page 0",
  "0-and-1-alike": "pages 0 and 1 are one and the same",
  unknown: "one page, or pages that do not differ",
};

const firstPageMeanings: Readonly<Record<Paging["firstPage"], string>> = {
  "0": "Pages are read from 0 on.",
  "1": "Pages are read from 1 on.",
  "0-and-1-alike": "Pages are read from 1 on.",
  unknown: "Nothing could be learned of how pages are counted; each walk finds out anew.",
};

export function checkSearch({ search }: DoctorObservations): readonly DoctorCheck[] {
  if (search === undefined) return [];
  const { email, reading } = search;
  const asked = `POST /api/accounting/users/search for ${email}, whom the list shows`;
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
  found: "this user alone",
  "found-among-others": "this user and others who only resemble",
  "not-found": "nobody",
};

const searchMeanings: Readonly<Record<SearchCheck, string>> = {
  found: "A search that finds a known user can prove that another is absent.",
  "found-among-others":
    "The search is fuzzy: whoever only resembles is left out, and an absence takes a second question.",
  "not-found": "The search does not find who is there: it proves nobody's absence, and nobody is created on it.",
};

type ShownCapability = Exclude<keyof Capabilities, "paging">;

/** What a plan can know of this service, and on what it rests where the service does not show it. */
export function checkCapabilities({ capabilities }: DoctorObservations): readonly DoctorCheck[] {
  if (capabilities === undefined) return [];
  return capabilityQuestions.map(({ of, check, asked, shown, hidden }) => {
    const is = capabilities[of];
    const means =
      is === "shown" ? shown : is === "hidden" ? hidden : "No answer could tell: nobody was shown who has it.";
    return { check, mark: is === "hidden" && of !== "totals" ? "notice" : "ok", asked, came: shownPhrases[is], means };
  });
}

const shownPhrases: Readonly<Record<Visibility, string>> = {
  shown: "shown",
  hidden: "not shown",
  unknown: "not known",
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
    shown: "Memberships and prefixes are read from the service.",
    hidden:
      "Memberships and prefixes are known from what roster has done itself, and from `key:` in the roster; who was a member before is a finding.",
  },
  {
    of: "rolesOnKeys",
    check: "roles-on-keys",
    asked: "the roles of keys",
    shown: "Roles are compared with what the service shows.",
    hidden: "Roles are compared with what roster wrote last; what others change is not seen.",
  },
  {
    of: "teamsOnKeys",
    check: "teams-on-keys",
    asked: "the teams of keys",
    shown: "A team that no key names is absent, where everyone was read.",
    hidden:
      "No team can be proven absent: give its `identifier`, or pass the `--allow absent:team:…` that a plan prints.",
  },
  {
    of: "titles",
    check: "titles",
    asked: "the titles of users",
    shown: "A title that differs is a finding.",
    hidden: "Titles are not compared.",
  },
  {
    of: "totals",
    check: "totals",
    asked: "how many rows a list has in all",
    shown: "A list that holds fewer rows than it counts is not complete.",
    hidden: "A list is complete where walking its pages comes to a clear end.",
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
      asked: "fields that roster does not read, on users and keys",
      came: formatList(unreadFieldNames(missed)),
      means: `They look like what is not shown. If they are, paste into the settings: ${suggestedShapesLine(missed)}`,
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
    const means = isRead ? "roster reads answers of this shape." : unreadShapeMeaning;
    return { check: "shape", mark: isRead ? "ok" : "problem", asked: request, came: `${status}, ${shape}`, means };
  });
}

const unreadShapeMeaning =
  "roster does not read answers of this shape. If this is the service, say in the settings where the fields are (`service.shapes`, see docs/services.md).";

/** How the service takes writes, as far as the state remembers: a doctor writes nothing. */
export function checkWrites({ writes }: DoctorObservations): readonly DoctorCheck[] {
  if (writes === undefined) return [];
  const { learned = unknownWriteBehaviour, set } = writes;
  return [checkConsistency(learned, set), ...checkThrottling(learned), ...checkMemberNames(learned)];
}

function checkConsistency(learned: WriteBehaviour, set: number | undefined): DoctorCheck {
  const { prompt, longest } = learned;
  const last = prompt === 0 ? "" : `the last ${prompt} changes within 5 s`;
  const slowest = longest === 0 ? "" : `the slowest after ${formatSpan(longest)}`;
  const came = [last, slowest].filter((words) => words !== "").join("; ") || "nothing yet";
  const by = set === undefined ? "" : ", as the settings say";
  return {
    check: "consistency",
    mark: "ok",
    asked: "how late reads show changes of earlier runs",
    came,
    means: `What reads do not show ${formatSpan(consistencyWindow(set, learned))} after a call counts as not done${by}.`,
  };
}

function checkThrottling({ throttling }: WriteBehaviour): readonly DoctorCheck[] {
  if (throttling === undefined) return [];
  const hasEffect = throttling === "may-have-effect";
  return [
    {
      check: "throttling",
      mark: hasEffect ? "notice" : "ok",
      asked: "whether a throttled write was done all the same",
      came: hasEffect ? "it was" : "it was not",
      means: hasEffect
        ? "A throttled creation or addition is not sent again: reading decides what became of it."
        : "A throttled write is sent again after the time that the service names.",
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
      asked: "how additions to a team name people",
      came,
      means: `People are added ${came}.`,
    },
  ];
}

function formatSpan(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds >= 60 && seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}
