import type { TestControls } from "../../src/reference-server/test-controls.ts";

/** What somebody else does: to a person, in a team. Left out where it cannot be done. */
export interface Tampering {
  readonly does: "adds-user" | "adds-member" | "sets-roles" | "deletes-user";
  readonly person: number;
  readonly team: number;
  readonly roles: readonly string[];
}

/** Where three known users are gone, the service itself is in doubt, and a person has to decide: `e2e/service-reset` has that. */
const mostRemoved = 2;

/** What somebody else does to the service between two runs, where it can be done. */
/** `removed`: addresses of the people whom somebody else removed. */
export function tamper({ does, person, team, roles }: Tampering, world: TestControls, removed: Set<string>): void {
  const email = `p${person}@acme.example`;
  const user = world.users.find((one) => one.email === email);
  switch (does) {
    case "adds-user":
      if (user === undefined) world.addUser({ email, firstName: "Some", lastName: "Body" });
      return;
    case "adds-member": {
      const there = world.teams.find(({ name }) => name === `Team ${team}`);
      if (user !== undefined && there !== undefined && !there.members.includes(email)) {
        world.addMember(there.identifier, email);
      }
      return;
    }
    case "sets-roles": {
      const key = user?.accessKeys[team % Math.max(1, user.accessKeys.length)];
      if (key !== undefined) world.setKeyRoles(key.prefix, roles);
      return;
    }
    case "deletes-user": {
      // A team without members is shown by no read: nobody could tell that it is there.
      const isLastMember = world.teams.some(({ members }) => members.length === 1 && members.includes(email));
      if (user === undefined || isLastMember || removed.size >= mostRemoved) return;
      world.removeUser(email);
      removed.add(email);
    }
  }
}
