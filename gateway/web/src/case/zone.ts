// The hour of a deadline, as people write it at the place of the forum, and as the service keeps it.

/** Parts of an instant as a clock in a zone shows them, put into one number as if they were of UTC. */
function wall(at: number, zone: string): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  }).formatToParts(at);
  const of = (type: string): number => Number(parts.find((p) => p.type === type)?.value ?? 0);
  return Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"));
}

/** The instant at which a clock in a zone shows that day and hour ("09:30"). An hour that the zone skips is moved on. */
export function instantOf(day: string, hour: string, zone: string): string {
  const shown = Date.parse(`${day}T${hour}:00Z`);
  let at = shown;
  // The distance of the zone from UTC may differ between the guess and the answer, so it is looked up twice.
  for (let i = 0; i < 2; i++) at = shown - (wall(at, zone) - at);
  return new Date(at).toISOString();
}

/** The hour that a clock in a zone shows at an instant: "09:30". */
export function hourOf(at: string, zone: string): string {
  return new Date(wall(Date.parse(at), zone)).toISOString().slice(11, 16);
}

/** Whether this browser knows a zone by that name. */
export function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
