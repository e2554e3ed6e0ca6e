import type { Year } from "./year.ts";
import type { Person } from "./year-company.ts";
import { editionOf } from "./year-edition.ts";
import type { Runs } from "./year-runs.ts";

/** Some of those who were created have an invitation to accept. Most do so soon, others only when they are reminded. */
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
      remedy() {
        const team = year.company.teamsOf(person).find((one) => year.isIn(one, person));
        if (isLate && team !== undefined) year.reminders.push({ person, team });
        else accept(year, person);
      },
    });
  }
}

function accept(year: Year, person: Person): void {
  const there = year.registry.accountOf(person);
  if (there?.status === "Invited") year.world.setUserStatus(there.identifier, "Active");
}

/** A person says who is to be mailed once more: nothing else mails anybody twice. */
export async function remind(year: Year, runs: Runs): Promise<void> {
  for (const { person, team } of year.reminders.splice(0)) {
    year.registry.expectMail(person, team.id);
    const words = [person.email, team.name, "--auto-approve", "--format", "json", "roster"];
    // The roster of the last merge may be none, a team may have another name in it, and what is taken for later never shows.
    await runs.peaceful(["resend-invitation", ...words], editionOf(year.company), [0, 3, 5, 7]);
    accept(year, person);
  }
}
