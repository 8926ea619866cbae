//! A store as the face uses it: the secret, the names, the deadline, in front of one backend.

use std::sync::Arc;
use std::time::Duration;

use toolpass_guard::session::stored::{Answer, Operation, Place, StoreId};

use crate::backend::{Backend, Doing, StoreError};
use crate::naming::{Who, place};

/// How long a store may take for one operation.
const DEADLINE: Duration = Duration::from_secs(5);

/// A store.
pub struct Sessions {
    id: StoreId,
    backend: Arc<dyn Backend>,
    secret: tokio::sync::OnceCell<Vec<u8>>,
}

impl Sessions {
    /// A store under this number. Without a secret, the one in the store is used, and put there when there is none.
    pub fn new(id: StoreId, backend: Arc<dyn Backend>, secret: Option<Vec<u8>>) -> Sessions {
        Sessions {
            id,
            backend,
            secret: tokio::sync::OnceCell::new_with(secret),
        }
    }

    /// Its number.
    pub fn id(&self) -> StoreId {
        self.id
    }

    /// Where it keeps the session of this person and conversation.
    /// Errors: [`StoreError`], when the secret cannot be had.
    pub async fn place(&self, who: &Who<'_>) -> Result<Place, StoreError> {
        let secret = self.secret.get_or_try_init(|| self.find_secret()).await?;
        Ok(place(self.id, secret, who))
    }

    /// Apply an operation to a session, at once or not at all. After a time-out nobody knows which.
    /// Errors: [`StoreError`].
    pub async fn apply(&self, place: &Place, operation: &Operation) -> Result<Answer, StoreError> {
        in_time(self.backend.apply(place, operation)).await
    }

    async fn find_secret(&self) -> Result<Vec<u8>, StoreError> {
        let mut fresh = [0; 32];
        let random = ring::rand::SystemRandom::new();
        ring::rand::SecureRandom::fill(&random, &mut fresh).map_err(|_| StoreError::Secret)?;
        let kept = in_time(self.backend.secret(fresh)).await?;
        Ok(kept.to_vec())
    }
}

pub(crate) async fn in_time<T>(doing: Doing<'_, T>) -> Result<T, StoreError> {
    let done = tokio::time::timeout(DEADLINE, doing).await;
    done.unwrap_or(Err(StoreError::Timeout))
}
