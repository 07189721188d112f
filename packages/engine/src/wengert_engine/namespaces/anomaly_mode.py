"""wengert.autograd.anomaly_mode: finding the operation that a failing gradient comes from."""

from wengert_engine.anomaly.anomaly_mode import AnomalyError, detect_anomaly, set_detect_anomaly

__all__ = ["AnomalyError", "detect_anomaly", "set_detect_anomaly"]
