import { accountDetails } from "./knobs/account-details.ts";
import { authOnAccounts } from "./knobs/auth-on-accounts.ts";
import { basePath } from "./knobs/base-path.ts";
import { conflict } from "./knobs/conflict.ts";
import { create } from "./knobs/create.ts";
import { createStatus } from "./knobs/create-status.ts";
import { credentialScope } from "./knobs/credential-scope.ts";
import { crossedAnswer } from "./knobs/crossed-answer.ts";
import { deleted } from "./knobs/deleted.ts";
import { detailLagMs } from "./knobs/detail-lag-ms.ts";
import { dropResponse } from "./knobs/drop-response.ts";
import { dropResponseAs } from "./knobs/drop-response-as.ts";
import { emailCase } from "./knobs/email-case.ts";
import { emptyPage } from "./knobs/empty-page.ts";
import { envelope } from "./knobs/envelope.ts";
import { error } from "./knobs/error.ts";
import { errorStatus } from "./knobs/error-status.ts";
import { externalId } from "./knobs/external-id.ts";
import { flaky } from "./knobs/flaky.ts";
import { flakyStatus } from "./knobs/flaky-status.ts";
import { founderRoles } from "./knobs/founder-roles.ts";
import { hang } from "./knobs/hang.ts";
import { hangBody } from "./knobs/hang-body.ts";
import { html200 } from "./knobs/html200.ts";
import { identifiers } from "./knobs/identifiers.ts";
import { keyLagMs } from "./knobs/key-lag-ms.ts";
import { keyLagStatus } from "./knobs/key-lag-status.ts";
import type { Knob, ValueOf } from "./knobs/knob.ts";
import { latencyMs } from "./knobs/latency-ms.ts";
import { laterEnvelope } from "./knobs/later-envelope.ts";
import { link } from "./knobs/link.ts";
import { listLagMs } from "./knobs/list-lag-ms.ts";
import { match } from "./knobs/match.ts";
import { maxBodyBytes } from "./knobs/max-body-bytes.ts";
import { maxPerPage } from "./knobs/max-per-page.ts";
import { maxTitle } from "./knobs/max-title.ts";
import { memberIdentifiers } from "./knobs/member-identifiers.ts";
import { memberLagMs } from "./knobs/member-lag-ms.ts";
import { members } from "./knobs/members.ts";
import { membersStatus } from "./knobs/members-status.ts";
import { oddities } from "./knobs/oddities.ts";
import { order } from "./knobs/order.ts";
import { overMaxPerPage } from "./knobs/over-max-per-page.ts";
import { pageBase } from "./knobs/page-base.ts";
import { pastEnd } from "./knobs/past-end.ts";
import { putRoles } from "./knobs/put-roles.ts";
import { putRolesAnswer } from "./knobs/put-roles-answer.ts";
import { putRolesStatus } from "./knobs/put-roles-status.ts";
import { readd } from "./knobs/readd.ts";
import { redirect } from "./knobs/redirect.ts";
import { redirectStatus } from "./knobs/redirect-status.ts";
import { redirectTo } from "./knobs/redirect-to.ts";
import { repeatedAs } from "./knobs/repeated-as.ts";
import { repeatedRows } from "./knobs/repeated-rows.ts";
import { reset } from "./knobs/reset.ts";
import { retryAfter } from "./knobs/retry-after.ts";
import { retryAfterSeconds } from "./knobs/retry-after-seconds.ts";
import { roleKinds } from "./knobs/role-kinds.ts";
import { roleList } from "./knobs/role-list.ts";
import { search } from "./knobs/search.ts";
import { searchLagMs } from "./knobs/search-lag-ms.ts";
import { searchMatch } from "./knobs/search-match.ts";
import { searchMaxIdentifiers } from "./knobs/search-max-identifiers.ts";
import { searchOverMax } from "./knobs/search-over-max.ts";
import { searchPages } from "./knobs/search-pages.ts";
import { showKeyKinds } from "./knobs/show-key-kinds.ts";
import { showKeyRoles } from "./knobs/show-key-roles.ts";
import { showKeys } from "./knobs/show-keys.ts";
import { showTeams } from "./knobs/show-teams.ts";
import { showTitles } from "./knobs/show-titles.ts";
import { shownKeyLagMs } from "./knobs/shown-key-lag-ms.ts";
import { sortUnknown } from "./knobs/sort-unknown.ts";
import { sortable } from "./knobs/sortable.ts";
import { statusCase } from "./knobs/status-case.ts";
import { teamLagMs } from "./knobs/team-lag-ms.ts";
import { texts } from "./knobs/texts.ts";
import { throttleAfterEffect } from "./knobs/throttle-after-effect.ts";
import { times } from "./knobs/times.ts";
import { total } from "./knobs/total.ts";
import { userWords } from "./knobs/user-words.ts";

/** Every knob by its name. A new knob is one file and one line here. */
const registry = {
  // Lists: paging, order, envelopes, links, totals.
  pageBase,
  maxPerPage,
  overMaxPerPage,
  pastEnd,
  emptyPage,
  repeatedRows,
  repeatedAs,
  order,
  sortable,
  sortUnknown,
  envelope,
  laterEnvelope,
  link,
  total,
  // What users, keys, teams and roles show of themselves.
  showKeys,
  showKeyRoles,
  showKeyKinds,
  showTeams,
  showTitles,
  userWords,
  identifiers,
  statusCase,
  times,
  oddities,
  // The shapes of answers.
  accountDetails,
  roleList,
  search,
  create,
  createStatus,
  members,
  membersStatus,
  putRolesAnswer,
  putRolesStatus,
  error,
  errorStatus,
  // Rules of the world.
  searchMatch,
  searchPages,
  searchMaxIdentifiers,
  searchOverMax,
  match,
  emailCase,
  externalId,
  texts,
  maxTitle,
  conflict,
  deleted,
  founderRoles,
  putRoles,
  roleKinds,
  memberIdentifiers,
  readd,
  credentialScope,
  authOnAccounts,
  // How long something new is not yet there.
  searchLagMs,
  listLagMs,
  detailLagMs,
  shownKeyLagMs,
  keyLagMs,
  keyLagStatus,
  teamLagMs,
  memberLagMs,
  // What befalls requests and answers on their way.
  basePath,
  maxBodyBytes,
  latencyMs,
  flaky,
  throttleAfterEffect,
  flakyStatus,
  retryAfter,
  retryAfterSeconds,
  crossedAnswer,
  dropResponse,
  dropResponseAs,
  hang,
  hangBody,
  reset,
  html200,
  redirect,
  redirectStatus,
  redirectTo,
};

export type KnobName = keyof typeof registry;

/**
 * What the service's documentation leaves open, as choices of whoever starts the server. The defaults are one plain dialect;
 * each knob's own file says what its values do.
 */
export type Knobs = { readonly [Name in KnobName]: ValueOf<(typeof registry)[Name]> };

export const knobRegistry: ReadonlyMap<string, Knob> = new Map<string, Knob>(Object.entries(registry));

export const defaultKnobs: Knobs = Object.fromEntries(
  Object.entries(registry).map(([name, knob]) => [name, knob.otherwise]),
) as Knobs;
