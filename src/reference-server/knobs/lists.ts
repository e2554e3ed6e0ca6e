import { choice, count } from "./knob.ts";

const envelope = choice("In what a list of accounts, users or roles is wrapped.", "L1", {
  L1: "nothing: a bare array; its paging is in the Link header",
  L2: "Spring's Page: content, number (from 0), size, numberOfElements, totalElements, totalPages, first, last",
  L3: "Spring's PagedModel: content, page{size, number, totalElements, totalPages}",
  L4: "data, meta{page, per_page, total}, links{next}",
  L5: "items, total",
  L6: "count, next, previous, results",
  L7: "start, limit, length, total and the rows under the list's own name",
  L8: "totalResults, startIndex, itemsPerPage, Resources",
  L9: "_embedded with the rows under the list's own name, _links{next{href}}, page",
  L10: "success, data{items}, error",
  named: "the rows under the list's own name and nothing else; its paging is in the Link header",
  unknown: "payload{rows}, which nobody knows",
});

export const listKnobs = {
  // Lists: paging, order, envelopes, links, totals.
  pageBase: choice("Which number the first page of a list has.", "one-alias", {
    "one-alias": "1, and page 0 is answered as page 1",
    "one-strict": "1, and page 0 is refused with 400",
    "one-empty": "1, and page 0 is answered without rows",
    zero: "0",
    ignored: "whatever page is asked for, the first one comes",
  }),
  maxPerPage: count("Rows on a page at the most; `overMaxPerPage` says what becomes of more.", 1000, {
    least: 1,
  }),
  overMaxPerPage: choice("What becomes of a `per-page` over `maxPerPage`.", "clamp", {
    clamp: "it counts as the largest page",
    reject: "it is refused with 400",
    ignore: "it counts as if it were not given: 10 rows",
  }),
  pastEnd: choice("What a page past the last one of a list answers.", "empty", {
    empty: "200 without rows",
    "404": "a refusal with 404",
    "400": "a refusal with 400",
    "last-again": "the last page once more",
  }),
  emptyPage: count(
    "The page of a list that comes without rows although the list goes on behind it, counted from 1; 0 for none.",
    0,
  ),
  repeatedRows: count("How many rows of the page before stand once more at the head of a page.", 0),
  repeatedAs: choice("How the `repeatedRows` look when they come again.", "same", {
    same: "as before",
    "upper-case": "with the address of a user in capital letters",
  }),
  order: choice("In which order rows stand that `sort-by` does not tell apart.", "stable", {
    stable: "in that of their creation",
    "shuffle-ties": "in another one at each request; without `sort-by` no row is told from another",
    shuffle: "all rows stand in another order at each request, whatever `sort-by` says",
  }),
  sortable: choice("Which fields `sort-by` knows.", "all", {
    all: "every field that the route describes",
    none: "none, so that each name is an unknown one",
  }),
  sortUnknown: choice("What becomes of a `sort-by` that names no field of the list.", "400", {
    "400": "the request is refused with 400",
    "500": "the request fails with 500",
    ignore: "the name is left out of account",
  }),
  envelope,
  laterEnvelope: choice("In what the pages of a list after the first one are wrapped.", "same", {
    same: "as the first",
    ...envelope.values,
  }),
  link: choice("Which address of the next page a list gives, in its `Link` header or in its body.", "ok", {
    ok: "the right one, with those of the first, the previous and the last page",
    none: "none",
    always: "the right one, and one on the last page too",
    "self-next": "that of this page",
    "zero-next": "that of page 0",
    "http-inner-host": "one at http://inner:8080, as behind a proxy",
    relative: "a path without host",
    "drops-query": "the right one without any other parameter of the query",
    "evil-host":
      "one at another origin, which leads to this server under its other name, so that the request log tells",
  }),
  total: choice("Where a list says how many rows there are in all, and whether that is true.", "body", {
    body: "where its envelope has a place for it; a bare array has none",
    header: "in the header X-Total-Count alone",
    both: "in the header and in the body",
    none: "nowhere",
    "wrong-high": "in both, and it is 7 too many",
    "wrong-low": "in both, and it is half of them",
  }),
};
