import {
  type Capabilities,
  relevantUnreadFields,
  suggestedShapesLine,
  unreadFieldNames,
  type Visibility,
} from "../../model/capabilities.ts";
import { formatList } from "../words.ts";
import { readFailures } from "./failures.ts";
import type { DoctorCheck, DoctorObservations } from "./seen.ts";

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
    hidden: "No team can be proven absent: give its `identifier`, or say --assume-absent team:NAME for one run.",
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
  "roster does not read answers of this shape. If this is the service, say in the settings where the fields are (`service.shapes`, see the README).";
