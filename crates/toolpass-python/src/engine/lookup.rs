//! What a probe found, as Python gets it.

use toolpass_engine::probe::ProbeReport;

/// `(id, ok, summary or error)`; warnings stand behind the summary.
pub(super) fn report(report: ProbeReport) -> (String, bool, String) {
    match report.result {
        Ok(probe) => {
            let mut text = probe.summary;
            for warning in &probe.warnings {
                text.push_str("; warning: ");
                text.push_str(warning);
            }
            (report.id, true, text)
        }
        Err(failure) => (report.id, false, failure.to_string()),
    }
}
