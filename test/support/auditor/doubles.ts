import { usersSaid } from "./claims.ts";
import type { Breach, ServiceChanged } from "./records.ts";
import { foldEmail, foldTeamName, type ServiceLog } from "./service-log.ts";

type Doubling = Pick<Breach, "rule" | "says">;

/**
 * What a change by one of roster's requests doubles: somebody or a team that was there before, or a mail. Somebody who is gone may be
 * created again where a person has allowed it.
 */
export function doublingOf(
  log: ServiceLog,
  { request, now }: ServiceChanged,
  position: number,
  mayReturn: (address: string) => boolean,
): Doubling | undefined {
  const by = log.requests.get(request ?? -1);
  const change = by?.did.find((one) => one.position === position);
  if (by === undefined || change === undefined) return undefined;
  const before = { from: 0, to: position - 1 };
  switch (now.is) {
    case "user": {
      const address = foldEmail(now.email);
      const isThere = usersSaid(log, { address }, { from: position - 1, to: position - 1 }).length > 0;
      const wasThere = usersSaid(log, { address }, before).length > 0;
      const isDouble = change.isNew && (isThere || (wasThere && !mayReturn(address)));
      return isDouble ? { rule: "created-twice", says: `${address} was there before` } : undefined;
    }
    case "team": {
      const isDouble = log
        .teams(before)
        .some(({ account, name }) => account === now.account && foldTeamName(name) === foldTeamName(now.name));
      return change.isNew && isDouble ? { rule: "team-made-twice", says: `${now.name} was there before` } : undefined;
    }
    case "key":
      return undefined;
    case "mail": {
      const asked = { from: by.position, to: by.position };
      const isMember = log.keys(asked).some(({ user, team }) => user === now.user && team === now.team);
      if (isMember) return { rule: "mailed-twice", says: `${now.user} is a member of ${now.team}` };
      const isAgain = log.mails(before).some(({ user, team }) => user === now.user && team === now.team);
      return isAgain ? { rule: "mailed-twice", says: `${now.user} was invited to ${now.team} before` } : undefined;
    }
  }
}
