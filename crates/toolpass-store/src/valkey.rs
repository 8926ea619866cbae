//! Sessions in Valkey (or Redis), shared by any number of machines.
//!
//! What is written is written only if nobody wrote since it was read; else it is read again. All keys of a person are in one slot
//! of a cluster. Time, and the forgetting of idle sessions, are the server's. INVARIANT: fingerprints that the server let go of
//! (it was short of memory) are noticed by their number, and count as too much to remember.

use std::time::Duration;

use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{Client, Script, cmd};
use toolpass_core::secret::Secret;
use toolpass_guard::session::kept::Kept;
use toolpass_guard::session::ledger::Times;
use toolpass_guard::session::stored::{Answer, Operation, Outcome, Place, PrintsOf};

use crate::backend::{Backend, Doing, StoreError};
use crate::document;

/// A store in Valkey.
pub struct Valkey {
    url: Secret,
    idle: Duration,
    connection: tokio::sync::OnceCell<ConnectionManager>,
}

/// The keys of one session.
struct Keys {
    state: String,
    times: String,
    outside: String,
    trusted: String,
}

impl Keys {
    fn of(place: &Place) -> Keys {
        let (person, session) = (&place.person, &place.session);
        Keys {
            state: format!("toolpass:{{{person}}}:{session}"),
            times: format!("toolpass:{{{person}}}"),
            outside: format!("toolpass:{{{person}}}:{session}:outside"),
            trusted: format!("toolpass:{{{person}}}:{session}:trusted"),
        }
    }

    fn prints(&self, of: PrintsOf) -> &str {
        match of {
            PrintsOf::Outside => &self.outside,
            PrintsOf::Trusted => &self.trusted,
        }
    }
}

/// What was read, as it was written.
struct Read {
    state: String,
    times: String,
    now: Duration,
    outside: usize,
}

impl Valkey {
    /// The server at `url`. Sessions that nobody used for `idle` are forgotten.
    pub fn new(url: Secret, idle: Duration) -> Valkey {
        Valkey {
            url,
            idle,
            connection: tokio::sync::OnceCell::new(),
        }
    }

    async fn connection(&self) -> Result<ConnectionManager, StoreError> {
        let connect = || async {
            let url = std::str::from_utf8(self.url.expose()).unwrap_or_default();
            let config = ConnectionManagerConfig::new()
                .set_number_of_retries(1)
                .set_connection_timeout(Some(WAIT))
                .set_response_timeout(Some(WAIT));
            let client = Client::open(url).map_err(failed)?;
            ConnectionManager::new_with_config(client, config)
                .await
                .map_err(failed)
        };
        self.connection.get_or_try_init(connect).await.cloned()
    }

    async fn apply_now(&self, place: &Place, operation: &Operation) -> Result<Answer, StoreError> {
        let mut server = self.connection().await?;
        let keys = Keys::of(place);
        for _ in 0..TRIES {
            let read = read(&mut server, &keys).await?;
            let mut kept = document::session(some(&read.state))?;
            let mut times = document::person(some(&read.times))?;
            kept.too_much |= read.outside < kept.outside;
            let outcome = match operation {
                Operation::Matches(prints) => known(&mut server, &keys, prints).await?,
                Operation::Record {
                    of,
                    prints,
                    capacity,
                } => {
                    record(&mut server, &keys, &mut kept, (*of, prints, *capacity)).await?;
                    Outcome::Done
                }
                Operation::Get
                | Operation::Mark(_)
                | Operation::Release(_)
                | Operation::Reserve { .. } => kept.apply(&mut times, operation, read.now),
            };
            times.forget(read.now);
            if self
                .write(&mut server, &keys, &read, (&kept, &times))
                .await?
            {
                return Ok(kept.answer(outcome));
            }
        }
        Err(StoreError::Busy)
    }

    /// Write back, unless somebody wrote since.
    async fn write(
        &self,
        server: &mut ConnectionManager,
        keys: &Keys,
        read: &Read,
        (kept, times): (&Kept, &Times),
    ) -> Result<bool, StoreError> {
        let idle = u64::try_from(self.idle.as_millis()).unwrap_or(u64::MAX);
        Script::new(WRITE)
            .key(&keys.state)
            .key(&keys.times)
            .key(&keys.outside)
            .key(&keys.trusted)
            .arg(&read.state)
            .arg(&read.times)
            .arg(document::of_session(kept)?)
            .arg(document::of_person(times)?.unwrap_or_default())
            .arg(idle)
            .invoke_async(server)
            .await
            .map_err(failed)
    }

    async fn secret_now(&self, fresh: [u8; 32]) -> Result<[u8; 32], StoreError> {
        let mut server = self.connection().await?;
        let () = cmd("SET")
            .arg(SECRET)
            .arg(fresh.as_slice())
            .arg("NX")
            .query_async(&mut server)
            .await
            .map_err(failed)?;
        let kept: Vec<u8> = cmd("GET")
            .arg(SECRET)
            .query_async(&mut server)
            .await
            .map_err(failed)?;
        kept.try_into().map_err(|_| StoreError::Damaged)
    }
}

impl Backend for Valkey {
    fn apply<'a>(&'a self, place: &'a Place, operation: &'a Operation) -> Doing<'a, Answer> {
        Box::pin(self.apply_now(place, operation))
    }

    fn secret<'a>(&'a self, fresh: [u8; 32]) -> Doing<'a, [u8; 32]> {
        Box::pin(self.secret_now(fresh))
    }
}

async fn read(server: &mut ConnectionManager, keys: &Keys) -> Result<Read, StoreError> {
    let (state, times, seconds, micros, outside): (String, String, u64, u32, usize) =
        Script::new(READ)
            .key(&keys.state)
            .key(&keys.times)
            .key(&keys.outside)
            .invoke_async(server)
            .await
            .map_err(failed)?;
    Ok(Read {
        state,
        times,
        now: Duration::new(seconds, micros.saturating_mul(1000)),
        outside,
    })
}

async fn known(
    server: &mut ConnectionManager,
    keys: &Keys,
    prints: &[u64],
) -> Result<Outcome, StoreError> {
    Ok(Outcome::Known {
        outside: members(server, &keys.outside, prints).await?,
        trusted: members(server, &keys.trusted, prints).await?,
    })
}

/// Which of these are in the set.
async fn members(
    server: &mut ConnectionManager,
    set: &str,
    prints: &[u64],
) -> Result<Vec<u64>, StoreError> {
    let mut members = Vec::new();
    for chunk in prints.chunks(CHUNK) {
        let found: Vec<bool> = cmd("SMISMEMBER")
            .arg(set)
            .arg(chunk)
            .query_async(server)
            .await
            .map_err(failed)?;
        if found.len() != chunk.len() {
            return Err(StoreError::Damaged);
        }
        let found = chunk.iter().zip(found).filter(|(_, is_member)| *is_member);
        members.extend(found.map(|(print, _)| *print));
    }
    Ok(members)
}

/// Added before it is said how many there are: what is added twice, or in vain, only refuses more.
async fn record(
    server: &mut ConnectionManager,
    keys: &Keys,
    kept: &mut Kept,
    (of, prints, capacity): (PrintsOf, &[u64], usize),
) -> Result<(), StoreError> {
    let set = keys.prints(of);
    let known = members(server, set, prints).await?;
    let known: std::collections::HashSet<u64> = known.into_iter().collect();
    let mut new: Vec<u64> = prints
        .iter()
        .copied()
        .filter(|print| !known.contains(print))
        .collect();
    new.sort_unstable();
    new.dedup();
    let wanted = new.len();
    new.truncate(kept.room(of, capacity));
    for chunk in new.chunks(CHUNK) {
        let () = cmd("SADD")
            .arg(set)
            .arg(chunk)
            .query_async(server)
            .await
            .map_err(failed)?;
    }
    let size: usize = cmd("SCARD")
        .arg(set)
        .query_async(server)
        .await
        .map_err(failed)?;
    let before = match of {
        PrintsOf::Outside => kept.outside,
        PrintsOf::Trusted => kept.trusted,
    };
    kept.added(of, size.saturating_sub(before), new.len() == wanted);
    Ok(())
}

fn some(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

fn failed(error: redis::RedisError) -> StoreError {
    if error.is_timeout() {
        StoreError::Timeout
    } else {
        StoreError::Unreachable
    }
}

/// How often something is read again because somebody else wrote.
const TRIES: usize = 256;

/// How many numbers go into one command.
const CHUNK: usize = 10_000;

const WAIT: Duration = Duration::from_secs(4);

const SECRET: &str = "toolpass:secret";

const READ: &str = "
local time = redis.call('TIME')
return {redis.call('GET', KEYS[1]) or '', redis.call('GET', KEYS[2]) or '', time[1], time[2], redis.call('SCARD', KEYS[3])}
";

/// The sets stay an hour longer than the session they are of; a person's windows for a day, the longest there is.
const WRITE: &str = "
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] or (redis.call('GET', KEYS[2]) or '') ~= ARGV[2] then
  return 0
end
redis.call('PEXPIRE', KEYS[3], ARGV[5] + 3600000)
redis.call('PEXPIRE', KEYS[4], ARGV[5] + 3600000)
redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[5])
if ARGV[4] == '' then
  redis.call('DEL', KEYS[2])
else
  redis.call('SET', KEYS[2], ARGV[4], 'PX', 86400000)
end
return 1
";
