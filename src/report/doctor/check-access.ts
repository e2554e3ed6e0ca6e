import { isRefusedAccess } from "../../model/result.ts";
import { accountStatus, type ObservedAccount } from "../../model/snapshot.ts";
import { formatCount, formatList } from "../words.ts";
import { describeFailure, suggestFix } from "./failure-words.ts";
import type { DoctorCheck, DoctorObservations } from "./seen.ts";

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
