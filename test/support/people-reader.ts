import { success } from "../../src/model/result.ts";
import type { AccountService, UserReader } from "../../src/service/port.ts";

/** Reads people by one search, whose word is taken for everybody's absence. */
export function aPeopleReader(service: AccountService): UserReader {
  let count = 0;
  return {
    async read(people, purpose, signal) {
      count += 1;
      const by = `${purpose} ${count}`;
      const emails = people.map(({ email }) => email);
      const found = await service.searchUsers(emails, by, signal);
      if (!found.ok) return found;
      const there = new Set(found.value.map(({ address }) => address));
      const missing = people.filter(({ address }) => !there.has(address));
      return success({
        users: found.value,
        absences: new Map(missing.map(({ address }) => [address, { proven: true, by }])),
      });
    },
  };
}
