import type { Paging } from "../../model/capabilities.ts";
import { formatCount } from "../words.ts";
import { describeFailure, suggestFix } from "./failure-words.ts";
import type { DoctorCheck, DoctorObservations, SearchResult } from "./seen.ts";

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

const searchPhrases: Readonly<Record<SearchResult, string>> = {
  found: "this user alone",
  "found-among-others": "this user and others who only resemble",
  "not-found": "nobody",
};

const searchMeanings: Readonly<Record<SearchResult, string>> = {
  found: "A search that finds a known user can prove that another is absent.",
  "found-among-others":
    "The search is fuzzy: whoever only resembles is left out, and an absence takes a second question.",
  "not-found": "The search does not find who is there: it proves nobody's absence, and nobody is created on it.",
};
