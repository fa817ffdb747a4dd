"""Sensors: what of the truth a controller gets; one file each, registered.

A sensor turns a plant's snapshot into readings, exact ones. Noise, bias, latency, dropout and rate are the same for all
sensors and are added by `_suite.py`, from the sensor's options.
"""

from pushpoint.registry import Registry
from pushpoint.sensors._base import Error, Mount, Readings, Sensor, SensorOptions

sensors: Registry[type[Sensor]] = Registry("sensor", __name__)

__all__ = ["Error", "Mount", "Readings", "Sensor", "SensorOptions", "sensors"]
