import type { Year } from "./year.ts";
import type { Person } from "./year-company.ts";

/** Some of those who were created have an invitation to accept. Most do so soon, others only after somebody has asked them. */
export function greet(year: Year): void {
  for (const person of year.registry.created.splice(0)) {
    const account = year.registry.accountOf(person);
    if (account === undefined || !year.dice.chance(0.35)) continue;
    year.world.setUserStatus(account.identifier, "Invited");
    const isLate = year.dice.chance(0.15);
    year.open({
      what: `${person.email} is invited`,
      people: [person],
      due: isLate ? year.in(12, 16) : year.in(1, 5),
      remedy: () => accept(year, person),
    });
  }
}

function accept(year: Year, person: Person): void {
  const there = year.registry.accountOf(person);
  if (there?.status === "Invited") year.world.setUserStatus(there.identifier, "Active");
}
