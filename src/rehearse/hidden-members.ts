import type { FoldedAddress } from "../model/address.ts";
import type { Snapshot } from "../model/snapshot.ts";

/** Somebody whom the details of an account name, and of whom no read shows more. */
export interface HiddenMember {
  readonly address: FoldedAddress;
  readonly account: string;
  readonly status?: string | undefined;
}

/**
 * Those whom nobody had to look for. Whoever was looked for and not found, or is not in a complete list, is not among them:
 * such a person could only be shown too well.
 */
export function hiddenMembers({ accounts, users, absences, everyone }: Snapshot): readonly HiddenMember[] {
  if (everyone.read !== "not-read") return [];
  const shown = new Set(users.map(({ address }) => address));
  return [...accounts.values()].flatMap(({ identifier, members = [], memberStatuses }) =>
    members
      .filter((address) => !shown.has(address) && !absences.has(address))
      .map((address) => ({ address, account: identifier, status: memberStatuses?.get(address) })),
  );
}
