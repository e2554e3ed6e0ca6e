import type { Finding, FindingClass, FindingCode } from "../model/finding.ts";
import type { Draft } from "./draft.ts";
import type { Selection } from "./selection.ts";

interface Nature {
  readonly class: FindingClass;
  readonly blocking: boolean;
}

const blocked: Nature = { class: "blocked", blocking: true };
const uncorrectable: Nature = { class: "uncorrectable", blocking: true };
const unclear: Nature = { class: "unknown", blocking: true };
const information: Nature = { class: "information", blocking: false };

const natures: Readonly<Record<FindingCode, Nature>> = {
  "unknown-account": blocked,
  "inactive-account": blocked,
  "unproven-user": unclear,
  "ambiguous-user": blocked,
  "deleted-user": blocked,
  "barred-user": uncorrectable,
  "pending-user": { class: "pending", blocking: false },
  "former-address": blocked,
  vanished: blocked,
  "other-account": uncorrectable,
  "profile-differs": uncorrectable,
  "profile-adapted": information,
  "unmanaged-user": { class: "unmanaged", blocking: false },
  "unproven-team": unclear,
  "incomplete-list": unclear,
  "ambiguous-team": blocked,
  "former-team-name": information,
  "team-without-founder": blocked,
  "team-without-admin": blocked,
  "team-identifier-unknown": unclear,
  "extra-member": uncorrectable,
  "member-removed": blocked,
  "unknown-membership": unclear,
  "unknown-role": blocked,
  "role-of-another-kind": blocked,
  "key-ambiguous": unclear,
  "unknown-key": blocked,
  "key-prefix-unknown": unclear,
  "own-key-unknown": unclear,
  "key-owner-differs": uncorrectable,
  "conflicting-roles": blocked,
  "roles-implied": information,
  "privilege-for-a-moment": information,
  "unknown-outcome": unclear,
  "not-selected": information,
};

/** Keeps what the selection keeps, in the order given, and gives each finding its class and fingerprint. */
export function finishFindings(
  drafts: readonly Draft[],
  selection: Selection,
  digest: (text: string) => string,
): readonly Finding[] {
  return drafts.filter((draft) => isSelected(draft, selection)).map((draft) => finish(draft, digest));
}

function isSelected({ concerns }: Draft, selection: Selection): boolean {
  return concerns.length === 0 || concerns.some((concern) => selection.keeps(concern));
}

function finish(draft: Draft, digest: (text: string) => string): Finding {
  const { code, subject, message, because, restsOn = [], suggestedYaml } = draft;
  const fingerprint = digest(JSON.stringify([code, subject])).slice(0, 16);
  const finding = { ...natures[code], code, fingerprint, subject, message, because, restsOn };
  return suggestedYaml === undefined ? finding : { ...finding, suggestedYaml };
}
