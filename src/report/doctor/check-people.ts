import type { Paging } from "../../model/capabilities.ts";
import { counted } from "../words.ts";
import { cameInstead, wayOut } from "./failure-words.ts";
import type { Check, FoundBySearch, Seen } from "./seen.ts";

export function checkPeople({ list }: Seen): readonly Check[] {
  if (list === undefined) return [];
  const asked = "GET /api/accounting/users, page by page";
  if (!list.ok) {
    return [{ check: "users", mark: "problem", asked, came: cameInstead(list.error), means: wayOut(list.error) }];
  }
  const { users, requests, everyone } = list.value;
  const came = `${counted(users, "user")} with ${counted(requests, "request")}`;
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

export function checkPages({ list, capabilities }: Seen): readonly Check[] {
  if (list === undefined || !list.ok || capabilities === undefined) return [];
  const { firstPage, largestPage } = capabilities.paging;
  const size =
    largestPage === undefined ? "" : `; at most ${counted(largestPage, "row")} to a page, of 100 that were asked for`;
  const clamp =
    largestPage === undefined
      ? ""
      : " It gives smaller pages than were asked for; a short page is not taken for the last.";
  const check = { check: "paging", mark: "ok", asked: "the number of the first page, and the largest page" } as const;
  return [{ ...check, came: `${firstWords[firstPage]}${size}`, means: `${firstMeans[firstPage]}${clamp}` }];
}

const firstWords: Readonly<Record<Paging["firstPage"], string>> = {
  "0": "page 0 is the first",
  "1": "page 1 is the first, and there is no page 0",
  "0-and-1-alike": "pages 0 and 1 are one and the same",
  unknown: "one page, or pages that do not differ",
};

const firstMeans: Readonly<Record<Paging["firstPage"], string>> = {
  "0": "Pages are read from 0 on.",
  "1": "Pages are read from 1 on.",
  "0-and-1-alike": "Pages are read from 1 on.",
  unknown: "Nothing could be learned of how pages are counted; each walk finds out anew.",
};

export function checkSearch({ search }: Seen): readonly Check[] {
  if (search === undefined) return [];
  const { email, reading } = search;
  const asked = `POST /api/accounting/users/search for ${email}, whom the list shows`;
  if (!reading.ok) {
    return [
      { check: "search", mark: "problem", asked, came: cameInstead(reading.error), means: wayOut(reading.error) },
    ];
  }
  const mark = reading.value === "not-found" ? "notice" : "ok";
  return [{ check: "search", mark, asked, came: foundWords[reading.value], means: foundMeans[reading.value] }];
}

const foundWords: Readonly<Record<FoundBySearch, string>> = {
  found: "this user alone",
  "found-among-others": "this user and others who only resemble",
  "not-found": "nobody",
};

const foundMeans: Readonly<Record<FoundBySearch, string>> = {
  found: "A search that finds a known user can prove that another is absent.",
  "found-among-others":
    "The search is fuzzy: whoever only resembles is left out, and an absence takes a second question.",
  "not-found": "The search does not find who is there: it proves nobody's absence, and nobody is created on it.",
};
