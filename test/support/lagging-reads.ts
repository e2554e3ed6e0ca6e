import type { ObservedUser } from "../../src/model/user.ts";
import type { AccountService } from "../../src/ports/account-service.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { World } from "./simulated-world.ts";

/** When people and keys came into a world, for as long as the world itself lives. */
export interface Births {
  /** Notes everything that is new; to be called after each call that may have changed the world. */
  note(): void;
  hasShown(name: string | undefined): boolean;
}

export function birthsIn(world: World, clock: Clock, lag: number): Births {
  const births = new Map<string, number>();
  const names = () => world.users.flatMap((user) => [user.identifier, ...user.keys.map(({ prefix }) => prefix)]);
  for (const name of names()) births.set(name, Number.NEGATIVE_INFINITY);
  return {
    note() {
      for (const name of names()) if (!births.has(name)) births.set(name, clock.now());
    },
    hasShown: (name) => name === undefined || clock.now() - (births.get(name) ?? clock.now()) >= lag,
  };
}

/** A service whose reads show people and keys only some time after they have come to be. */
export function laggingReads(service: AccountService, births: Births): AccountService {
  const show = (users: readonly ObservedUser[]) =>
    users
      .filter(({ identifier }) => births.hasShown(identifier))
      .map((user) => ({
        ...user,
        ...(user.keys === undefined ? {} : { keys: user.keys.filter(({ prefix }) => births.hasShown(prefix)) }),
      }));
  return {
    ...service,
    get requests() {
      return service.requests;
    },
    async searchUsers(identifiers, read, signal) {
      const found = await service.searchUsers(identifiers, read, signal);
      return found.ok ? { ok: true, value: show(found.value) } : found;
    },
    async listUsers(signal) {
      const list = await service.listUsers(signal);
      return list.ok ? { ok: true, value: { ...list.value, users: show(list.value.users) } } : list;
    },
    async readAccount(account, signal) {
      const read = await service.readAccount(account, signal);
      if (!read.ok || read.value.members === undefined) return read;
      const { members: _hidden, ...rest } = read.value;
      return { ok: true, value: rest };
    },
  };
}
