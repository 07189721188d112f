from wengert_engine.anomaly.anomaly_mode import AnomalyError as AnomalyError
from wengert_engine.anomaly.anomaly_mode import detect_anomaly as detect_anomaly
from wengert_engine.anomaly.anomaly_mode import set_detect_anomaly as set_detect_anomaly

__all__ = ["AnomalyError", "detect_anomaly", "set_detect_anomaly"]
